/** How long this process has computed, in ms: unlike the time on the wall it does not grow while other processes have the core. */
export function computedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
