/**
 * Decides which IP addresses belong to the public internet, both for the socket that is opened and
 * for the setting that is checked.
 */
import ipaddr from "ipaddr.js";

/**
 * Whether an IP address is globally routable unicast. It is not if it is reserved: private,
 * loopback, link-local (which includes metadata services), CGNAT, unspecified, multicast or
 * documentation. Such an address is also found inside an IPv4-mapped, IPv4-compatible, NAT64, 6to4,
 * Teredo or ISATAP address. False for anything but an IP address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const read = ipaddr.process(address);
  if (read.range() !== "unicast") return false;
  if (read.kind() === "ipv4") return !PUBLIC_METADATA.has(read.toString());
  const { parts } = read as ipaddr.IPv6;
  return isGlobalUnicast(parts[0] ?? 0) && !isTunnelToPrivate(parts);
}

/** Whether the text is an IP address that does not belong to the public internet. */
export const isPrivateAddress = (address: string): boolean =>
  ipaddr.isValid(address) && !isPublicAddress(address);

/**
 * Metadata services with addresses that look public. The one of Azure is such an address; the one
 * of Alibaba Cloud is inside CGNAT.
 */
const PUBLIC_METADATA: ReadonlySet<string> = new Set(["168.63.129.16"]);

/**
 * Whether the address is in 2000::/3, the only range that is assigned:
 * https://www.iana.org/assignments/ipv6-address-space. IPv4-compatible addresses (::/96) are
 * outside of it.
 */
const isGlobalUnicast = (first: number): boolean => first >> 13 === 1;

/**
 * Whether the address is an ISATAP address with a private IPv4 address: its last 64 bits are
 * 0000:5efe or 0200:5efe, followed by the IPv4 address.
 * https://www.rfc-editor.org/rfc/rfc5214#section-6.1
 */
function isTunnelToPrivate(parts: readonly number[]): boolean {
  const [universal = 0, mark = 0, high = 0, low = 0] = parts.slice(4);
  if ((universal & 0xfdff) !== 0 || mark !== 0x5efe) return false;
  return !isPublicAddress([high >> 8, high & 255, low >> 8, low & 255].join("."));
}
