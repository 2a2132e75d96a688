/** The caveats that watches of whole account lists have in common. */

export const WHOLE_ROSTER_CAVEATS: readonly string[] = [
  "the whole list is read, one page per request and at most `max_pages` in a poll: `plan` counts its pages after the first read",
  "an account that left is reported after two complete reads without it; one that came back in between is not",
  "an empty list is taken for a fault of the service, so the last account to leave is not reported",
  "for an account that left, `where` and the message have only the id, names, picture and follower count from when it was last seen",
];

/**
 * Returns the caveat of a watch that reads only the first pages of a list, because the service does
 * not promise that its lists are newest first.
 */
export const NEWEST_FIRST_CAVEAT = (who: string): string =>
  `${who} that the service does not list newest first are found only by reads of the whole list: when the first one is complete, and then once a day for up to 100,000 members (\`full_read_every\`)`;

/** The caveats of watches of the 20 accounts that rank highest, which one request lists. */
export const TOP_ROSTER_CAVEATS: readonly string[] = [
  "accounts that the service has not indexed have no such list, and are on nobody's",
  "an account that drops out is reported after two polls without it, so that one at the edge is not reported again and again",
  "for an account that dropped out, `where` and the message have only the id, names, picture and follower count from when it was last seen",
];
