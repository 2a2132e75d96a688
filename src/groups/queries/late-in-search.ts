/** What a search does not show yet when it is asked, so that the timeline is read for it: a forecast. Pure; what is done is pending-changes.ts's. */

/** A post stands in the search so much later than on its timeline, as a rule. */
const USUAL_LAG_MS = 1_100;
/** And so many posts so much later than that. */
const LATE_SHARE = 0.01;
const LATE_MS = 120_000;
/** Posts of bursts are looked for sooner than the mean. */
const SOONER = 1.4;

/** Posts a day that are searched for before they are shown, where searches come `meanMs` after posts. */
export function lackedPerDay(postsPerDay: number, meanMs: number): number {
  const share = (lagMs: number): number => Math.min(1, lagMs / (2 * meanMs));
  return postsPerDay * Math.min(1, share(SOONER * USUAL_LAG_MS) + LATE_SHARE * share(LATE_MS));
}
