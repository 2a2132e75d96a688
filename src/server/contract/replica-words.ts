/** Texts for the page and the command `status` about work that no replica does. */
import { counted } from "./page-words.ts";
import type { UnclaimedView } from "../schema/replica-view.ts";

/**
 * Returns a sentence about unclaimed work: polls and destinations that no replica has been given
 * yet.
 */
export function unclaimedWords({
  polls,
  destinations,
  oldest_poll_at: oldest,
}: UnclaimedView): string {
  const made =
    oldest === null
      ? "none of them was ever polled"
      : `the least recent one was last polled ${oldest.slice(0, 19).replace("T", " ")} UTC`;
  return `not given to a replica yet: ${counted(polls, "poll")}${polls === 0 ? "" : ` (${made})`}, ${counted(destinations, "destination")}`;
}
