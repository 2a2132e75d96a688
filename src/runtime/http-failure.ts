/**
 * Converts failures below HTTP to the errors of the Http port. Messages name the host but never the
 * path, because webhook addresses are secrets.
 */
import { HttpError, type HttpFailure, type HttpRequest } from "../model/http.ts";
import { ownValue } from "../model/own-value.ts";

const BY_CODE: Readonly<Record<string, HttpFailure>> = {
  ENOTFOUND: "HTTP_DNS",
  EAI_AGAIN: "HTTP_DNS",
  EAI_FAIL: "HTTP_DNS",
  EAI_NODATA: "HTTP_DNS",
  EAI_NONAME: "HTTP_DNS",
  ENODATA: "HTTP_DNS",
  ECONNREFUSED: "HTTP_CONNECT",
  EHOSTUNREACH: "HTTP_CONNECT",
  ENETUNREACH: "HTTP_CONNECT",
  EADDRNOTAVAIL: "HTTP_CONNECT",
  UND_ERR_CONNECT_TIMEOUT: "HTTP_CONNECT",
  UND_ERR_DESTROYED: "HTTP_ABORTED",
  UND_ERR_CLOSED: "HTTP_ABORTED",
  UND_ERR_ABORTED: "HTTP_ABORTED",
  EPROTO: "HTTP_TLS",
};
const TLS =
  /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE))/;

const SAID: Readonly<Record<string, string>> = {
  HTTP_DNS: "the host name could not be resolved",
  HTTP_CONNECT: "no connection could be made",
  HTTP_TLS: "no trusted TLS connection could be made",
  HTTP_ABORTED: "the request was given up",
  HTTP_RESET: "the connection broke before the whole answer had arrived",
};

/** The proxy through which a request goes. */
export interface ViaProxy {
  /** The host of the proxy, without credentials. */
  readonly host: string;
  /** The environment variable that names it. */
  readonly variable: string;
}

/**
 * Returns the Http port's error for any error of undici or of a socket. `started` says whether
 * bytes of the request may have been sent.
 */
export function classifyFailure(
  error: unknown,
  url: string,
  started: boolean,
  via?: ViaProxy,
): HttpError {
  if (error instanceof HttpError) return error;
  const refusedBy = proxyRefusal(error);
  if (refusedBy !== undefined) return refusedByProxy(url, refusedBy, error);
  const code = codeOf(error);
  if (via !== undefined && !started && isOfConnecting(code))
    return proxyUnreachable(url, via, error);
  if (code === "UND_ERR_INVALID_ARG" || error instanceof TypeError)
    return cannotBeWritten(url, error);
  const kind =
    ownValue(BY_CODE, code) ??
    (TLS.test(code) ? "HTTP_TLS" : started ? "HTTP_RESET" : "HTTP_CONNECT");
  const maybeDelivered = started && kind !== "HTTP_DNS" && kind !== "HTTP_TLS";
  const message = `${hostOf(url)}: ${ownValue(SAID, kind) ?? "failed"}${code === "" ? "" : ` (${code})`}`;
  return new HttpError(kind, message, maybeDelivered, {
    cause: error,
    fields: { host: hostOf(url), code },
  });
}

/**
 * Returns the status with which a proxy refused to open a connection; undefined for any other
 * error. undici reports the status only in the message.
 */
const proxyRefusal = (error: unknown): string | undefined =>
  /^Proxy response \((\d+)\)/.exec((error as { message?: string } | null)?.message ?? "")?.[1];

function isOfConnecting(code: string): boolean {
  const kind = ownValue(BY_CODE, code);
  return kind === "HTTP_DNS" || kind === "HTTP_CONNECT";
}

/**
 * Returns the error for a proxy that cannot be reached. Until the proxy has opened the connection
 * to the host, every failure is between the proxy and this machine.
 */
function proxyUnreachable(url: string, { host, variable }: ViaProxy, cause: unknown): HttpError {
  const code = codeOf(cause);
  const kind = ownValue(BY_CODE, code) ?? "HTTP_CONNECT";
  const what = kind === "HTTP_DNS" ? "could not be resolved" : "could not be reached";
  const hint = `Check ${variable}, which names this proxy, and that it runs; or name ${new URL(url).hostname} in NO_PROXY.`;
  const fields = { host: hostOf(url), proxy: host, code };
  return new HttpError(kind, `${hostOf(url)}: the proxy ${host} ${what} (${code})`, false, {
    hint,
    cause,
    fields,
  });
}

function refusedByProxy(url: string, status: string, cause: unknown): HttpError {
  const hint =
    status === "407"
      ? "Put user:password@ before the proxy's host in HTTPS_PROXY or HTTP_PROXY."
      : "Allow this host and port at the proxy, or name the host in NO_PROXY.";
  const message = `${hostOf(url)}: the proxy refused the connection (${status})`;
  return new HttpError("HTTP_CONNECT", message, false, {
    hint,
    cause,
    fields: { host: hostOf(url) },
  });
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

function cannotBeWritten(url: string, error: unknown): HttpError {
  const hint =
    "Check for line breaks or control characters in the address, the key and the headers.";
  return new HttpError("HTTP_CONNECT", `${hostOf(url)}: the request cannot be written`, false, {
    retry: "no",
    hint,
    cause: error,
  });
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "invalid address";
}

export function timedOut(
  request: HttpRequest,
  state: { readonly started: boolean; readonly status: number },
): HttpError {
  const where = !state.started
    ? "connecting"
    : state.status === 0
      ? "waiting for the answer"
      : "reading the answer";
  const message = `${hostOf(request.url)}: no whole answer within ${request.timeoutMs} ms (${where})`;
  return new HttpError("HTTP_TIMEOUT", message, state.started, {
    fields: { host: hostOf(request.url), timeoutMs: request.timeoutMs },
  });
}

export const tooLarge = (maxBytes: number): HttpError =>
  new HttpError("HTTP_TOO_LARGE", `the answer is larger than ${maxBytes} bytes`, true, {
    fields: { maxBytes },
  });

export const wasAborted = (started: boolean, reason: unknown): HttpError =>
  new HttpError("HTTP_ABORTED", "the request was given up", started, { cause: reason });

export const unreadable = (coding: string, cause: unknown): HttpError =>
  new HttpError("HTTP_RESET", `the answer cannot be unpacked (${coding})`, true, { cause });
