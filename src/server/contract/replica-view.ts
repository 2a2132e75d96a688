/**
 * The daemons that share a state on Postgres, and the work that none of them does: parts of the
 * status.
 */
import { counted } from "./page-words.ts";

export interface ReplicaView {
  /** The replica's address as Postgres sees it, and the beginning of its id: `10.0.0.3#k3x9`. */
  readonly name: string;
  readonly joined_at: string;
  /** Whether the replica leads: it plans, and does the work that is done once for all. */
  readonly leads: boolean;
  /** Whether it is the replica that answers. */
  readonly answers: boolean;
  /**
   * False if it has no share of the work, because its configuration or the version of its planner
   * differs from the leader's.
   */
  readonly shares: boolean;
  /** The share of all polls that it makes, by their requests: 0 to 100. */
  readonly polls_percent: number;
  /** The number of destinations to which it delivers. */
  readonly destinations: number;
}

/** Work that no replica does until the leader assigns it to one. */
export interface UnclaimedView {
  readonly polls: number;
  readonly destinations: number;
  /** When the most overdue of these polls was last made; null if one was never made. */
  readonly oldest_poll_at: string | null;
}

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
