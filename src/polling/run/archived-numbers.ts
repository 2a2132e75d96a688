/**
 * Picks the facts of rechecks that must be archived. Most rechecks find a tweet with the same
 * counts of likes, replies and so on as the poll or recheck before, so archiving them adds nothing.
 */
import type { FoundFact } from "../../model/archive.ts";
import type { RecheckOutcome } from "../evaluate/evaluate-recheck.ts";
import type { Planned } from "../watch-poll.ts";

/**
 * The maximum number of tweets whose counts are remembered. If a tweet was forgotten, its next
 * recheck is archived even if the counts are the same.
 */
const MAX_TWEETS = 20_000;

type Polled = Pick<Planned, "watch" | "watchKey">;

export class ArchivedNumbers {
  readonly #known = new Map<string, string>();

  changed(outcomes: readonly RecheckOutcome[]): readonly FoundFact[] {
    return outcomes.flatMap(({ event, found }) =>
      found === undefined || (event === undefined && this.#isKnown(found)) ? [] : [found],
    );
  }

  /**
   * Remembers the counts of the tweets that a poll found for watches with rechecks. Called once the
   * poll is committed.
   */
  rememberPolled(facts: readonly FoundFact[], subscribers: readonly Polled[]): void {
    const rechecked = new Set(
      subscribers.flatMap(({ watch, watchKey }) => (watch.recheck === undefined ? [] : [watchKey])),
    );
    if (rechecked.size === 0) return;
    this.remember(
      facts.filter(({ watchKey, body }) => body.tweet !== undefined && rechecked.has(watchKey)),
    );
  }

  /** Remembers the counts of the tweets in these facts. Called once the facts are committed. */
  remember(facts: readonly FoundFact[]): void {
    for (const fact of facts) this.#remember(fact);
  }

  #isKnown(fact: FoundFact): boolean {
    return this.#known.get(keyOf(fact)) === numbersOf(fact);
  }

  #remember(fact: FoundFact): void {
    const key = keyOf(fact);
    this.#known.delete(key);
    this.#known.set(key, numbersOf(fact));
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_TWEETS && oldest !== undefined) this.#known.delete(oldest);
  }
}

const keyOf = ({ watchKey, subject }: FoundFact): string => `${watchKey}\n${subject}`;

const numbersOf = ({ body: { tweet } }: FoundFact): string =>
  [
    tweet?.likes_count,
    tweet?.retweet_count,
    tweet?.reply_count,
    tweet?.quote_count,
    tweet?.bookmark_count,
    tweet?.view_count,
  ].join();
