/**
 * Decides from the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY) which requests go through a
 * proxy. http-agent.ts sends them.
 */
import ipaddr from "ipaddr.js";
import { EXIT, ExitError } from "../model/exit-code.ts";
import type { Environment } from "../model/files.ts";
import { isLoopback } from "../model/loopback.ts";
import type { ViaProxy } from "./http-failure.ts";
import { ownValue } from "../model/own-value.ts";

export interface ChosenProxy {
  /** The address of the proxy, with its credentials. */
  readonly href: string;
  /** The description of the proxy for messages, without credentials. */
  readonly via: ViaProxy;
}

export interface Proxies {
  /**
   * Returns the proxy for a request; undefined if it is sent directly. Requests to loopback
   * addresses are always sent directly.
   */
  proxyFor(url: URL): ChosenProxy | undefined;
  /**
   * The description of the proxies for people, without credentials; undefined if there are none.
   */
  readonly summary: string | undefined;
}

export const NO_PROXIES: Proxies = { proxyFor: () => undefined, summary: undefined };

/**
 * Reads the environment variables. If a variable is set in upper case and in lower case, the one in
 * lower case is used, as in curl. @throws ExitError PROXY_INVALID
 */
export function readProxies(env: Environment): Proxies {
  const of = (name: string): readonly [string, string] | undefined => {
    const used = [name.toLowerCase(), name].find((one) => (ownValue(env, one) ?? "") !== "");
    return used === undefined ? undefined : [used, ownValue(env, used) ?? ""];
  };
  const [http, https] = [parseProxy(of("HTTP_PROXY")), parseProxy(of("HTTPS_PROXY"))];
  if (http === undefined && https === undefined) return NO_PROXIES;
  const entries = (of("NO_PROXY")?.[1] ?? "").split(/[,\s]+/).filter((entry) => entry !== "");
  const read = entries.map((entry) => ({ entry, excepts: readException(entry) }));
  const obeyed = read.flatMap(({ entry, excepts }) => (excepts === undefined ? [] : [entry]));
  const ignored = entries.filter((entry) => !obeyed.includes(entry));
  const isExcepted = ({ hostname, port, protocol }: URL): boolean => {
    const ownPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
    const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
    return read.some(({ excepts }) => excepts?.(host, ownPort) === true);
  };
  return {
    proxyFor(url) {
      const isSecure = url.protocol === "https:";
      const proxy = isSecure ? https : http;
      if (proxy === undefined || isLoopback(url.hostname) || isExcepted(url)) return undefined;
      const variable = of(isSecure ? "HTTPS_PROXY" : "HTTP_PROXY")?.[0] ?? "";
      return { href: proxy.href, via: { host: proxy.host, variable } };
    },
    summary: [
      http === undefined ? "" : `http:// through ${http.host}`,
      https === undefined ? "" : `https:// through ${https.host}`,
      obeyed.length === 0 ? "" : `not ${obeyed.join(", ")}`,
    ]
      .filter((part) => part !== "")
      .join(", ")
      .concat(
        ignored.length === 0
          ? ""
          : `; ignored in NO_PROXY, because it is neither a host nor an address range: ${ignored.join(", ")}`,
      ),
  };
}

/** Parses a proxy's address. Error messages do not repeat it, because it may contain a password. */
function parseProxy(setting: readonly [string, string] | undefined): URL | undefined {
  if (setting === undefined) return undefined;
  const [name, text] = setting;
  const address = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== "") return url;
  const what =
    url === undefined || url.hostname === ""
      ? "is not an address"
      : `has the scheme ${url.protocol.slice(0, -1)}, which is not supported`;
  throw new ExitError(EXIT.badConfig, "PROXY_INVALID", `the environment variable ${name} ${what}`, {
    hint: `Write it as http://proxy.example:3128, with user:password@ before the host where the proxy wants them, or unset ${name}.`,
  });
}

/** Returns whether an entry of NO_PROXY exempts a host and port from the proxy. */
type Exception = (host: string, port: string) => boolean;

/**
 * Reads an entry of NO_PROXY: a host, with or without a port, which includes all its subdomains; an
 * IP address; a range of addresses; or * for everything. As in curl and Go, addresses and ranges
 * match only addresses that are written in the URL, because names are not looked up. Returns
 * undefined for anything else, such as `10.`.
 */
function readException(entry: string): Exception | undefined {
  if (entry === "*") return () => true;
  if (ipaddr.isValidCIDR(entry)) {
    const range = ipaddr.parseCIDR(entry);
    return (host) => ipaddr.isValid(host) && isInRange(ipaddr.process(host), range);
  }
  const { name = entry, port } =
    /^(?<name>\[[\da-f:.]+\]|[^:]+)(?::(?<port>\d{1,5}))?$/i.exec(entry)?.groups ?? {};
  const named = name.replace(/^\[|\]$/g, "").toLowerCase();
  const isOfPort = (other: string) => port === undefined || port === other;
  if (ipaddr.IPv4.isValidFourPartDecimal(named) || ipaddr.IPv6.isValid(named)) {
    const own = ipaddr.process(named).toString();
    return (host, other) =>
      isOfPort(other) && ipaddr.isValid(host) && ipaddr.process(host).toString() === own;
  }
  const above = named.replace(/^\*?\./, "");
  if (!HOST_NAME.test(above)) return undefined;
  return (host, other) => isOfPort(other) && (host === above || host.endsWith(`.${above}`));
}

/**
 * Matches a host name. The last part of a host name is never a number, so a text that ends in a
 * number is an IP address or a piece of one.
 */
const HOST_NAME = /^(?:[\p{L}\p{N}_-]+\.)*(?!\d+$)[\p{L}\p{N}_-]+$/u;

const isInRange = (
  address: ipaddr.IPv4 | ipaddr.IPv6,
  range: [ipaddr.IPv4 | ipaddr.IPv6, number],
): boolean => address.kind() === range[0].kind() && address.match(range);
