/**
 * Links: permalinks built from names and ids (the service gives none), and addresses of strangers
 * checked before they are shown.
 */

const HANDLE = /^[A-Za-z0-9_]{1,50}$/;

/** `https://x.com/alice/status/123`; `/i/` stands in for a handle that is missing. */
export const tweetUrl = (linksHost: string, handle: string, id: string): string =>
  `${origin(linksHost)}/${HANDLE.test(handle) ? handle : "i"}/status/${plainId(id)}`;

/** `https://x.com/alice`, or by id when the handle is missing. */
export const profileUrl = (linksHost: string, handle: string, id: string): string =>
  HANDLE.test(handle)
    ? `${origin(linksHost)}/${handle}`
    : `${origin(linksHost)}/i/user/${plainId(id)}`;

export const spaceUrl = (linksHost: string, id: string): string =>
  `${origin(linksHost)}/i/spaces/${plainId(id)}`;

export const communityUrl = (linksHost: string, id: string): string =>
  `${origin(linksHost)}/i/communities/${plainId(id)}`;

export const listUrl = (linksHost: string, id: string): string =>
  `${origin(linksHost)}/i/lists/${plainId(id)}`;

/** Ids are digits; anything else of an odd answer is left out rather than let into an address. */
const plainId = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, "");

const origin = (linksHost: string): string => linksHost.replace(/\/+$/, "");

/**
 * The address in its safe spelling (nothing that closes a bracket or mentions), or undefined when
 * it is not http or https.
 */
export function webUrl(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href.replace(/[|<>"'`\\^{}]|@(?=everyone|here|channel)/gi, percent);
}

const percent = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
