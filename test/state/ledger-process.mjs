/**
 * A process that asks a shared state for as many requests as it can get at one instant. Prints how
 * many were granted. Its first argument is process-parts.ts, bundled.
 */
const [parts, path, atMs] = process.argv.slice(2);
const { createSeededRandom, createVirtualClock, openStore } = await import(parts);

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent, child: () => log };
const clock = createVirtualClock(Number(atMs));
// A process that finds the state locked waits by its clock, which therefore goes on. All requests
// are of one instant nevertheless.
const ticking = setInterval(() => void clock.advance(10), 10);
const store = await openStore({ path, clock, random: createSeededRandom(1), log, shared: true });
let granted = 0;
for (let i = 0; i < 40; i += 1) {
  const grant = await store.reserve({
    endpoint: "s",
    watch: "w",
    billed: true,
    atMs: Number(atMs),
    rate: { count: 25, intervalMs: 1_000 },
    holdMs: 30_000,
  });
  if (grant.kind === "granted") granted += 1;
}
await store.close();
clearInterval(ticking);
process.stdout.write(`${granted}\n`);
