/** Which requests go through a proxy, by the environment: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. Owns the choice; http-agent.ts owns the sending. */
import { EXIT, ExitError } from "../model/exit-code.ts";
import type { Environment } from "../model/files.ts";
import { isLoopback } from "../model/loopback.ts";
import { ownValue } from "../model/own-value.ts";

export interface Proxies {
  /** The proxy's address, credentials included; undefined when the request goes straight. Loopback never goes through one. */
  proxyFor(url: URL): string | undefined;
  /** For people, without credentials; undefined when there is none. */
  readonly summary: string | undefined;
}

export const NO_PROXIES: Proxies = { proxyFor: () => undefined, summary: undefined };

/** Lower case wins, as with curl. @throws ExitError PROXY_INVALID */
export function readProxies(env: Environment): Proxies {
  const of = (name: string): readonly [string, string] | undefined => {
    const used = [name.toLowerCase(), name].find((one) => (ownValue(env, one) ?? "") !== "");
    return used === undefined ? undefined : [used, ownValue(env, used) ?? ""];
  };
  const [http, https] = [parseProxy(of("HTTP_PROXY")), parseProxy(of("HTTPS_PROXY"))];
  if (http === undefined && https === undefined) return NO_PROXIES;
  const exceptions = (of("NO_PROXY")?.[1] ?? "").split(/[,\s]+/).filter((entry) => entry !== "");
  return {
    proxyFor(url) {
      const proxy = url.protocol === "https:" ? https : http;
      return proxy === undefined || isLoopback(url.hostname) || isExcepted(url, exceptions) ? undefined : proxy.href;
    },
    summary: [
      http === undefined ? "" : `http:// through ${http.host}`,
      https === undefined ? "" : `https:// through ${https.host}`,
      exceptions.length === 0 ? "" : `not ${exceptions.join(", ")}`,
    ]
      .filter((part) => part !== "")
      .join(", "),
  };
}

/** The address may hold a password: it is not repeated. */
function parseProxy(setting: readonly [string, string] | undefined): URL | undefined {
  if (setting === undefined) return undefined;
  const [name, text] = setting;
  const address = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== "") return url;
  const what =
    url === undefined || url.hostname === "" ? "is no address" : `has the scheme ${url.protocol.slice(0, -1)}, which is not supported`;
  throw new ExitError(EXIT.badConfig, "PROXY_INVALID", `the environment variable ${name} ${what}`, {
    hint: `Write it as http://proxy.example:3128, with user:password@ before the host where the proxy wants them, or unset ${name}.`,
  });
}

/** An entry is a host, which stands for the names below it too, with or without a port; or * for all. */
function isExcepted({ hostname, port, protocol }: URL, exceptions: readonly string[]): boolean {
  const host = hostname.toLowerCase();
  const ownPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return exceptions.some((entry) => {
    if (entry === "*") return true;
    const [, named = entry, wantedPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
    const isPortMeant = wantedPort === undefined || wantedPort === ownPort;
    const name = named.replace(/^\*?\./, "").toLowerCase();
    return isPortMeant && (host === name || host.endsWith(`.${name}`));
  });
}
