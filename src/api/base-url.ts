/**
 * The address of the data service: what may be written, and what is made of it. Pure; config/ uses
 * it, too.
 */
import type { NetworkScope } from "../model/http.ts";
import { isLoopback } from "../model/loopback.ts";

export interface BaseUrl {
  /** With the `/v3` prefix, without a slash at the end. */
  readonly url: string;
  /** The prefix of the older version, for its one endpoint. */
  readonly v2Url: string;
  /** Where a request may go: plain HTTP to this machine only. */
  readonly reach: NetworkScope;
}

export type BaseUrlProblem = { readonly problem: string; readonly hint: string };

/**
 * Reads `https://host`, or `http://` for this machine alone (the service accepts HTTPS only; the
 * key would travel in the clear). `/v3` is appended when it is missing.
 */
export function checkBaseUrl(text: string): BaseUrl | BaseUrlProblem {
  const plain = text.trim();
  if (!/^https?:\/\//i.test(plain) || !URL.canParse(plain))
    return problem(
      `"${cut(plain)}" is no web address`,
      "Write https:// and the host, e.g. https://api.example.com",
    );
  const url = new URL(plain);
  if (url.username !== "" || url.password !== "")
    return problem("the address carries a user name or password", "The key goes into api.key.");
  if (url.search !== "" || url.hash !== "")
    return problem(
      "the address ends in ? or #",
      "Write the address alone, e.g. https://api.example.com",
    );
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return problem(
      `"${url.origin}" is plain http:// to another machine: the key would travel unprotected`,
      "Write https://; http:// is for loopback addresses only.",
    );
  }
  const prefix = `${url.origin}${url.pathname.replace(/\/+$/, "").replace(/\/v3$/i, "")}`;
  return {
    url: `${prefix}/v3`,
    v2Url: `${prefix}/v2`,
    reach: url.protocol === "http:" ? "loopback" : "any",
  };
}

const problem = (text: string, hint: string): BaseUrlProblem => ({ problem: text, hint });
const cut = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
