/**
 * What a poll read, before it is evaluated. Each kind of poll (feed, records, member list) has a
 * file that reads it.
 */
import type { FeedMemory } from "../../detect/feed-memory.ts";
import type { PollStore, SourceState } from "../../model/poll-store.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { User } from "../../model/user.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import type { EvaluationContext } from "../evaluate/make-event.ts";
import { type LoadedPoll, loadSubscribers, type Reader } from "../evaluate/load-subscribers.ts";
import type { SubscriberEvaluation } from "../evaluate/verdicts.ts";
import type { Beside } from "../read/beside.ts";
import type { MemberListMemory } from "../read/member-list-memory.ts";
import type { Poll } from "../watch-poll.ts";
import type { PollOutcome } from "./poll-outcome.ts";

/** A poll with its state: its source, its subscribers and their targets. */
export interface PollState extends LoadedPoll {
  readonly source: SourceState;
}

export async function loadPoll(
  store: Pick<PollStore, "loadSources"> & Pick<WatchStore, "loadTargets">,
  poll: Poll,
): Promise<PollState> {
  const [source] = await store.loadSources([poll.key]);
  if (source === undefined) throw new Error("the store gave no source");
  return { source, ...(await loadSubscribers(store, poll)) };
}

export type KnownStore = Pick<
  PollStore,
  "knownItems" | "itemMarks" | "knownMembers" | "absentMembers"
>;

/** Evaluates the poll for one of its readers; `index` is the reader's position. */
export type Evaluate = (reader: Reader, index: number, beside: Beside) => SubscriberEvaluation;

export interface Seen {
  /** The new memory of the source; undefined if it stays the same. */
  readonly memory?: FeedMemory | MemberListMemory;
  /** The error that ended the poll after its first page. */
  readonly error?: unknown;
  /** Whether no further poll is needed to find everything that is new since the last one. */
  readonly isWhole: boolean;
  readonly tweets: readonly Tweet[];
  /** The accounts that the answer shows, by id, with their current handles. */
  readonly users: ReadonlyMap<string, User>;
  /** Whether the poll is about one account, whose profile is added to its facts. */
  readonly isAboutAccount: boolean;
  /**
   * Reads from the state what the readers already know, once for all of them. Resolves to the
   * function that evaluates the poll for one reader.
   */
  evaluator(state: PollState, store: KnownStore, context: EvaluationContext): Promise<Evaluate>;
  /** Returns the part of the outcome that only this kind of poll has. */
  outcome(poll: Poll, evaluations: readonly SubscriberEvaluation[]): Partial<PollOutcome>;
}
