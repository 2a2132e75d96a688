/**
 * Decides to which addresses sockets may be opened, and checks the address when the connection is
 * made. http-agent.ts does everything after that.
 */
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { buildConnector } from "undici";
import { HttpError, type NetworkScope } from "../model/http.ts";
import { isPublicAddress } from "./public-address.ts";

/** Resolves a host name to all its addresses, as dns.lookup does with the option `all`. */
export type ResolveHost = (
  host: string,
  options: LookupOptions,
  done: (error: NodeJS.ErrnoException | null, found: readonly LookupAddress[]) => void,
) => void;

const resolveBySystem: ResolveHost = (host, options, done) =>
  systemLookup(host, { ...options, all: true }, done);

/** The maximum time for connecting alone. The request's own deadline applies in addition. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Whether a socket to this IP address is allowed. */
export function isAddressAllowed(address: string, reach: NetworkScope): boolean {
  if (reach === "any") return true;
  if (reach === "public") return isPublicAddress(address);
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
}

/**
 * Creates an undici connector that opens sockets only to allowed addresses. The name is resolved
 * once, here, and the socket goes to the address that was checked, so a name that resolves to
 * another address the next time cannot bypass the check.
 */
export function createConnector(
  reach: NetworkScope,
  resolve: ResolveHost = resolveBySystem,
): buildConnector.connector {
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    lookup: checkedLookup(reach, resolve),
  });
  return (options, done) => {
    // A literal address is not looked up, so check it here.
    if (isIP(options.hostname) !== 0 && !isAddressAllowed(options.hostname, reach))
      done(refused(options.hostname, reach), null);
    else connect(options, done);
  };
}

/**
 * Checks where a request goes before a proxy opens the socket: checks a literal address, and every
 * address to which this machine resolves a name. A name that only the proxy can resolve is left to
 * the proxy. @throws HttpError
 */
export async function checkBeforeProxy(
  hostname: string,
  reach: NetworkScope,
  resolve: ResolveHost = resolveBySystem,
): Promise<void> {
  if (reach === "any") return;
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) {
    if (!isAddressAllowed(host, reach)) throw refused(host, reach);
    return;
  }
  const found = await new Promise<readonly LookupAddress[]>((done) =>
    resolve(host, { all: true }, (error, addresses) => done(error === null ? addresses : [])),
  );
  if (found.some(({ address }) => !isAddressAllowed(address, reach))) throw refused(host, reach);
}

function checkedLookup(reach: NetworkScope, resolve: ResolveHost): LookupFunction {
  return (host, options, done) => {
    resolve(host, options, (error, found) => {
      if (error) return done(error, "");
      const allowed = found.filter(({ address }) => isAddressAllowed(address, reach));
      const first = allowed[0];
      if (first === undefined) return done(refused(host, reach), "");
      if (options.all) done(null, allowed as LookupAddress[]);
      else done(null, first.address, first.family);
    });
  };
}

function refused(host: string, reach: NetworkScope): HttpError {
  const why =
    reach === "loopback" ? "is not a loopback address" : "is a private or reserved address";
  return new HttpError(
    "HTTP_ADDRESS_REFUSED",
    `${host} ${why}, and this request may not go there`,
    false,
    {
      retry: "no",
      hint:
        reach === "loopback"
          ? "Use https:// for other machines."
          : "Allow private addresses for this target if it is meant to be one of yours.",
      fields: { host },
    },
  );
}
