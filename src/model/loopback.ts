/**
 * What counts as this machine, by the host that a URL, a Host header or a listening address names.
 * Whether a name resolves to it is runtime/'s to check.
 */

/**
 * With or without the brackets of IPv6; IPv4 written inside IPv6 as a URL spells it, too. Names
 * under `.localhost` never leave the machine (RFC 6761).
 */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (plain === "localhost" || plain.endsWith(".localhost") || plain === "::1") return true;
  return (
    /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(plain) ||
    /^::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}$/.test(plain)
  );
}
