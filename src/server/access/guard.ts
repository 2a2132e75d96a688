/**
 * Decides whether a caller may use the server, from the token, the Host header and the Origin
 * header of the request. Pure functions of a request's headers; the routes turn a refusal into an
 * answer. The control socket has no such checks, because the file system already limits who can
 * open it.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { isLoopback } from "../../model/loopback.ts";

export interface Refusal {
  readonly status: 401 | 403;
  readonly code: string;
  readonly message: string;
}

export type Headers = (name: string) => string | undefined;

/** The settings that decide who may use a server on TCP. */
export interface TcpAccess {
  readonly token?: string | undefined;
  /** A second token that only permits reading. Set only together with `token`. */
  readonly readToken?: string | undefined;
  /** The host name under which a reverse proxy serves this server. */
  readonly publicHost?: string | undefined;
}

export type AskedFor = "read" | "change";

/**
 * Returns why the caller is refused; undefined if the request is allowed. A configured token is
 * accepted as a Bearer token, or as the password of Basic authentication with any user name, so
 * that a browser can open the page. Without a token the server listens on loopback only, and the
 * Host header must name loopback or the host of `server.public_url`, which the operator's proxy
 * serves. This protects against a web page whose own host name resolves to this address (DNS
 * rebinding).
 */
export function refuseCaller(
  header: Headers,
  { token, readToken, publicHost }: TcpAccess,
  purpose: AskedFor,
): Refusal | undefined {
  if (token === undefined) {
    const host = hostName(header("host") ?? "");
    return isLoopback(host) || host === publicHost ? undefined : FOREIGN_HOST;
  }
  const authorization = header("authorization");
  if (hasToken(authorization, token)) return undefined;
  if (readToken === undefined || !hasToken(authorization, readToken)) return TOKEN_WANTED;
  return purpose === "read" ? undefined : READ_ONLY;
}

/** Returns a refusal if the browser reports that a page of another site sent this request. */
export function refuseOrigin(header: Headers): Refusal | undefined {
  const site = header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") return FOREIGN_ORIGIN;
  const origin = header("origin");
  if (origin === undefined) return undefined;
  return URL.canParse(origin) && new URL(origin).host === header("host")?.toLowerCase()
    ? undefined
    : FOREIGN_ORIGIN;
}

const TOKEN_WANTED: Refusal = {
  status: 401,
  code: "SERVER_TOKEN_WANTED",
  message:
    "this server requires the token of server.token: send it as `Authorization: Bearer …`, or as the password in a browser",
};
const READ_ONLY: Refusal = {
  status: 403,
  code: "SERVER_READ_ONLY",
  message: "server.read_token may only read: send server.token to change something",
};
const FOREIGN_HOST: Refusal = {
  status: 403,
  code: "SERVER_FOREIGN_HOST",
  message:
    "without server.token, this server answers only requests for localhost: use http://localhost, or set server.public_url or a token",
};
const FOREIGN_ORIGIN: Refusal = {
  status: 403,
  code: "SERVER_FOREIGN_ORIGIN",
  message: "pages of other sites may not change anything here",
};

function hasToken(authorization: string | undefined, token: string): boolean {
  const [scheme = "", credentials = ""] = (authorization ?? "").trim().split(/\s+/, 2);
  if (scheme.toLowerCase() === "bearer") return isSameSecret(credentials, token);
  if (scheme.toLowerCase() !== "basic") return false;
  const text = Buffer.from(credentials, "base64").toString("utf8");
  return isSameSecret(text.slice(text.indexOf(":") + 1), token);
}

/**
 * Compares hashes, which always have the same length, so that the duration of the comparison
 * reveals nothing about the secret.
 */
const isSameSecret = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Returns the host in a Host header, without the port. An IPv6 address keeps its brackets. */
const hostName = (host: string): string =>
  host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
