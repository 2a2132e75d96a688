/**
 * Decides who may ask, from token, Host and Origin. Pure functions of a request's headers; the
 * routes turn a refusal into an answer. None of this applies to the control socket: everyone who
 * may open the socket may ask.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { isLoopback } from "../../model/loopback.ts";

export interface Refusal {
  readonly status: 401 | 403;
  readonly code: string;
  readonly message: string;
}

export type Headers = (name: string) => string | undefined;

/** What a server on TCP asks of its callers. */
export interface TcpAccess {
  readonly token?: string | undefined;
  /** May read and change nothing; only beside `token`. */
  readonly readToken?: string | undefined;
  /** The host name under which a proxy serves it. */
  readonly publicHost?: string | undefined;
}

export type AskedFor = "read" | "change";

/**
 * Returns undefined if the caller may go on. If there is a token, it is accepted as Bearer, or as
 * the password of Basic with any user, so that a browser can open the page. Without a token the
 * server listens on loopback only, and the Host header must name loopback or the host of
 * `server.public_url`, which the operator's proxy serves. That keeps out a web page that points its
 * own host name to this address.
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

/** Returns a refusal if the browser says that a page of another site sends this request. */
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

/** Compares hashes, which have equal lengths, so that the time it takes reveals nothing. */
const isSameSecret = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Returns the host of a Host header without its port. The brackets of an IPv6 address stay. */
const hostName = (host: string): string =>
  host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
