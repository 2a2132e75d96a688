/** The caveats that watches of whole account lists have in common. */

export const WHOLE_ROSTER_CAVEATS: readonly string[] = [
  "the list is read whole, a page a request, at most `max_pages` of them in a poll: `plan` counts its pages once it was read",
  "who left is reported after two complete reads without them; who left and came back in between is not",
  "an empty list is not believed: the last one to leave is not reported",
  "of who left, `where` and the message know the id, the names, the picture and the follower count of when they were last seen",
];

/** Returns a caveat, because the service does not promise that its lists are newest first. */
export const NEWEST_FIRST_CAVEAT = (who: string): string =>
  `${who} that the service does not list newest first are found by reads of the whole list only: not before the first one is done, and then once a day up to 100,000 members (\`full_read_every\`)`;

/** The caveats of lists of 20, limited by rank, in one request. */
export const TOP_ROSTER_CAVEATS: readonly string[] = [
  "accounts the service has not indexed have no such list, and stand on nobody's",
  "who falls out is reported after two polls without them; who hovers at the edge is not reported again and again",
  "of who fell out, `where` and the message know the id, the names, the picture and the follower count of when they were last seen",
];
