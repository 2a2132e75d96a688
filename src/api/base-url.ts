/** Checks and normalises the address of the data service. Pure, so that config/ can use it too. */
import type { NetworkScope } from "../model/http.ts";
import { isLoopback } from "../model/loopback.ts";

export interface BaseUrl {
  /** The address with the `/v3` prefix, without a slash at the end. */
  readonly url: string;
  /** The address with the prefix `/v2` of the older version, of which only one endpoint is used. */
  readonly v2Url: string;
  /** The network that a request may reach. Plain HTTP may reach only this machine. */
  readonly reach: NetworkScope;
}

export type BaseUrlProblem = { readonly problem: string; readonly hint: string };

/**
 * Accepts `https://host`, and `http://` only for this machine: the service accepts HTTPS only, and
 * plain HTTP would expose the key. Appends `/v3` if it is missing.
 */
export function checkBaseUrl(text: string): BaseUrl | BaseUrlProblem {
  const plain = text.trim();
  if (!/^https?:\/\//i.test(plain) || !URL.canParse(plain))
    return problem(
      `"${cut(plain)}" is not a web address`,
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
