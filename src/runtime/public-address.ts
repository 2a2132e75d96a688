/**
 * Decides which IP addresses belong to the public internet. The answer is needed when a socket is
 * opened and when a setting is checked.
 */
import ipaddr from "ipaddr.js";

/**
 * Whether the text is a globally routable unicast IP address. Reserved addresses are not: private,
 * loopback, link-local (which includes metadata services), CGNAT, unspecified, multicast and
 * documentation. An IPv4-mapped or ISATAP address counts as the IPv4 address in it.
 * IPv4-compatible, NAT64, 6to4 and Teredo addresses are never public. False for anything but an IP
 * address.
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
 * The addresses of cloud metadata services that no reserved range contains: the one of Azure. The
 * one of Alibaba Cloud is in the CGNAT range.
 */
const PUBLIC_METADATA: ReadonlySet<string> = new Set(["168.63.129.16"]);

/**
 * Whether the address is in 2000::/3, the only range that is assigned for global unicast:
 * https://www.iana.org/assignments/ipv6-address-space. IPv4-compatible addresses (::/96) are
 * outside of this range.
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
