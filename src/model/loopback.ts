/**
 * Decides whether a host in a URL, a Host header or a listening address is this machine. runtime/
 * checks whether a name resolves to this machine.
 */

/**
 * Whether a host is this machine. Accepts it with or without the brackets of IPv6, and IPv4 inside
 * IPv6 as a URL spells it. Names under `.localhost` never leave the machine (RFC 6761).
 */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (plain === "localhost" || plain.endsWith(".localhost") || plain === "::1") return true;
  return (
    /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(plain) ||
    /^::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}$/.test(plain)
  );
}
