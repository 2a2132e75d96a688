/**
 * Builds permalinks from names and ids, because the service sends no permalinks. Also checks
 * addresses that others wrote before they are shown.
 */

const HANDLE = /^[A-Za-z0-9_]{1,50}$/;

/** Returns `https://x.com/alice/status/123`, with `/i/` instead of a missing handle. */
export const tweetUrl = (linksHost: string, handle: string, id: string): string =>
  `${origin(linksHost)}/${HANDLE.test(handle) ? handle : "i"}/status/${plainId(id)}`;

/** Returns `https://x.com/alice`, or the address by id if the handle is missing. */
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

/**
 * Removes all characters that ids never contain, so that a malformed answer of the service cannot
 * put anything else into an address.
 */
const plainId = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, "");

const origin = (linksHost: string): string => linksHost.replace(/\/+$/, "");

/**
 * Returns a web address in which characters that would close a bracket or mention somebody in a
 * chat are percent-encoded; undefined if the text is not an http or https address.
 */
export function webUrl(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href.replace(/[|<>"'`\\^{}]|@(?=everyone|here|channel)/gi, percent);
}

const percent = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
