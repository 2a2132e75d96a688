/** The words for work that no replica does, used by page and status. */
import { counted } from "./page-words.ts";
import type { UnclaimedView } from "../schema/replica-view.ts";

/** Describes unclaimed work, for page and status. */
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
