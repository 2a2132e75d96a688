/**
 * Which IP addresses belong to the public internet. One answer for the socket that is opened and
 * for the setting that is checked.
 */
import ipaddr from "ipaddr.js";

/**
 * Whether an IP address is globally routable unicast. Everything the registries reserve is not
 * (private, loopback, link-local with the metadata services, CGNAT, unspecified, multicast,
 * documentation), also where it hides in an IPv4-mapped, IPv4-compatible, NAT64, 6to4, Teredo or
 * ISATAP address. False for what is no IP address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const read = ipaddr.process(address);
  if (read.range() !== "unicast") return false;
  if (read.kind() === "ipv4") return !PUBLIC_METADATA.has(read.toString());
  const { parts } = read as ipaddr.IPv6;
  return isGlobalUnicast(parts[0] ?? 0) && !isTunnelToPrivate(parts);
}

/** Whether it is an IP address, and not of the public internet. */
export const isPrivateAddress = (address: string): boolean =>
  ipaddr.isValid(address) && !isPublicAddress(address);

/**
 * Metadata services on addresses that look public: the one of Alibaba Cloud is inside CGNAT, that
 * of Azure is not.
 */
const PUBLIC_METADATA: ReadonlySet<string> = new Set(["168.63.129.16"]);

/**
 * 2000::/3 is all that is assigned: https://www.iana.org/assignments/ipv6-address-space. The
 * IPv4-compatible ::/96 is outside of it.
 */
const isGlobalUnicast = (first: number): boolean => first >> 13 === 1;

/**
 * The last 64 bits of an ISATAP address are 0000:5efe or 0200:5efe and an IPv4 address:
 * https://www.rfc-editor.org/rfc/rfc5214#section-6.1
 */
function isTunnelToPrivate(parts: readonly number[]): boolean {
  const [universal = 0, mark = 0, high = 0, low = 0] = parts.slice(4);
  if ((universal & 0xfdff) !== 0 || mark !== 0x5efe) return false;
  return !isPublicAddress([high >> 8, high & 255, low >> 8, low & 255].join("."));
}
