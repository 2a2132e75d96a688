/** The daemons that share a state on Postgres, and what none of them does: parts of the status. */
import { counted } from "./page-words.ts";

export interface ReplicaView {
  /** Its address, as Postgres sees it, and how its id begins: `10.0.0.3#k3x9`. */
  readonly name: string;
  readonly joined_at: string;
  /** It plans, and does what is done once for all. */
  readonly leads: boolean;
  /** The one that answers. */
  readonly answers: boolean;
  /**
   * False: its configuration, or the version of its planner, is another one than the leader's, so
   * that it has no share.
   */
  readonly shares: boolean;
  /** Its part of all polls, by their requests: 0 to 100. */
  readonly polls_percent: number;
  /** Places that it delivers to. */
  readonly destinations: number;
}

/** Work that no replica does: until the leader gives it to one. */
export interface UnclaimedView {
  readonly polls: number;
  readonly destinations: number;
  /** Which of these polls waits longest: when it was made last; null where none ever was. */
  readonly oldest_poll_at: string | null;
}

/** What no replica does, as page and status say it. */
export function unclaimedWords({
  polls,
  destinations,
  oldest_poll_at: oldest,
}: UnclaimedView): string {
  const made =
    oldest === null
      ? "none of them ever made"
      : `the oldest of them last made ${oldest.slice(0, 19).replace("T", " ")} UTC`;
  return `not given to a replica yet: ${counted(polls, "poll")}${polls === 0 ? "" : ` (${made})`}, ${counted(destinations, "destination")}`;
}
