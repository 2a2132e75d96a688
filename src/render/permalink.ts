/** Links: permalinks built from names and ids (the service gives none), and addresses of strangers checked before they are shown. */

const HANDLE = /^[A-Za-z0-9_]{1,50}$/;

/** `https://x.com/alice/status/123`; `/i/` stands in for a handle that is missing. */
export const tweetUrl = (linksHost: string, handle: string, id: string): string =>
  `${origin(linksHost)}/${HANDLE.test(handle) ? handle : "i"}/status/${encodeURIComponent(id)}`;

/** `https://x.com/alice`, or by id when the handle is missing. */
export const profileUrl = (linksHost: string, handle: string, id: string): string =>
  HANDLE.test(handle) ? `${origin(linksHost)}/${handle}` : `${origin(linksHost)}/i/user/${encodeURIComponent(id)}`;

const origin = (linksHost: string): string => linksHost.replace(/\/+$/, "");

/** The address in its safe spelling (no spaces, quotes, angle brackets or pipes), or undefined when it is not http or https. */
export function webUrl(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href.replace(/[|<>"'`\\^{}]/g, (char) => encodeURIComponent(char).replace("'", "%27"));
}
