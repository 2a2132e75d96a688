/**
 * Runs one batch of due rechecks: requests the fresh tweets together, evaluates each for every
 * watch that rechecks it, and commits the results. `recheck-loop.ts` decides when a batch is due.
 */
import { isSuspiciousAnswer } from "../../detect/recheck.ts";
import type { PollCommit, PollStore } from "../../model/poll-store.ts";
import type { Ports } from "../../model/ports.ts";
import { OVERDUE_RECHECK_MS, type Recheck, type RecheckStore } from "../../model/recheck.ts";
import { mostUrgent, type Priority } from "../../model/schedule.ts";
import type { Tweet } from "../../model/tweet.ts";
import { isRefusal } from "../../model/upstream.ts";
import type { TargetRef } from "../../model/watch-store.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import { gatherMs, type Missed, missedBy } from "../../polling/evaluate/absence.ts";
import {
  evaluateRecheck,
  mayBeEdited,
  type RecheckOutcome,
  refOf,
  turnOf,
} from "../../polling/evaluate/evaluate-recheck.ts";
import { committedOf } from "../../polling/evaluate/verdicts.ts";
import { sightsOf } from "../../polling/run/tweet-sights.ts";
import { commitEvents, type PolledCommitDeps } from "../../polling/run/commit-events.ts";
import type { Planned, Subscriber } from "../../polling/watch-poll.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import { RequestHeld } from "../../requests/request-held.ts";

export interface RecheckDeps
  extends PolledCommitDeps,
    Pick<Ports, "clock" | "hash" | "trace" | "storeMonitor"> {
  readonly store: RecheckStore & Pick<PollStore, "commitPoll">;
  readonly gate: RequestGate;
  /** Returns the factor by which polls of a priority are slowed down while the quota is short. */
  readonly slowDownOf: (priority: Priority) => number;
  /** Returns the watches that are polled now. */
  readonly watches: () => readonly Planned[];
}

/** Returns the active watches that recheck their tweets and are not paused. */
export const rechecked = ({ watches }: Pick<RecheckDeps, "watches">): readonly Planned[] =>
  watches().filter(({ watch, paused }) => watch.recheck !== undefined && !paused);

/**
 * The shortest time for which missed facts are gathered into a digest. It applies to all facts that
 * rechecks find.
 */
const NO_GATHERING = gatherMs(0, true);

/** A due recheck of a tweet, with the subscriber whose watch rechecks it. */
interface Followed {
  readonly recheck: Recheck;
  readonly subscriber: Subscriber;
}

/** The name of rechecks as a source, so that all of them share one backoff, and in traces. */
const RECHECK = "recheck";

export class RecheckBatches {
  readonly #deps: RecheckDeps;
  /**
   * The number of requests so far. By this number, requests are charged in turn to the watches that
   * they are made for.
   */
  #requests = 0;

  constructor(deps: RecheckDeps) {
    this.#deps = deps;
  }

  /**
   * Runs a batch. Resolves to false if the next batch must wait, because the results could not be
   * stored.
   */
  async run(rows: readonly Recheck[]): Promise<boolean> {
    const { clock, trace } = this.#deps;
    const followed = rows.flatMap((recheck) => {
      const subscriber =
        recheck.untilMs + OVERDUE_RECHECK_MS < clock.now()
          ? undefined
          : subscriberOf(rechecked(this.#deps), recheck);
      return subscriber === undefined ? [] : [{ recheck, subscriber }];
    });
    const live = new Set(followed.map(({ recheck }) => recheck));
    const stale = rows.filter((row) => !live.has(row));
    if (stale.length > 0) return this.#commit(stale.map((row) => ({ ended: refOf(row) })));
    const early = followed
      .map((one) => this.#atPresentPace(one))
      .filter(({ dueAtMs }) => dueAtMs > clock.now());
    if (early.length > 0) return this.#commit(early.map((next) => ({ next })));
    const ids = [...new Set(rows.map(({ tweetId }) => tweetId))];
    trace.begin(RECHECK);
    try {
      const answer = await this.#ask(ids, followed);
      return await this.#commit(await this.#evaluate(followed, ids, answer), answer);
    } finally {
      trace.end(RECHECK);
    }
  }

  #atPresentPace({ recheck, subscriber: { watch } }: Followed): Recheck {
    return { ...recheck, dueAtMs: turnOf(watch, recheck, this.#deps.slowDownOf(watch.priority)) };
  }

  /**
   * Requests the tweets, and charges the watches in turn. A 404 counts as an answer without tweets,
   * because the service may send one when all of them are gone. Undefined if the request was
   * refused: this recheck is then over, because another request would be refused and billed again.
   */
  async #ask(
    ids: readonly string[],
    asked: readonly Followed[],
  ): Promise<ReadonlyMap<string, Tweet> | undefined> {
    try {
      const answer = await this.#deps.gate.request({
        endpoint: "tweet-info-bulk",
        params: { tweet_links: ids },
        source: RECHECK,
        watch: asked[this.#requests++ % asked.length]?.subscriber.watch.id ?? "",
        priority: mostUrgent(asked.map(({ subscriber }) => subscriber.watch.priority)),
        purpose: "poll",
      });
      return new Map((answer.tweets ?? []).map((tweet) => [tweet.id, tweet]));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      reportFailure(error, this.#deps);
      return error.kind === "not_found" ? new Map() : undefined;
    }
  }

  async #evaluate(
    asked: readonly Followed[],
    ids: readonly string[],
    answer: ReadonlyMap<string, Tweet> | undefined,
  ): Promise<readonly RecheckOutcome[]> {
    const { hash, clock, store, slowDownOf } = this.#deps;
    const found = answer ?? new Map<string, Tweet>();
    const isSuspicious =
      answer === undefined ||
      isSuspiciousAnswer(ids.length, ids.filter((id) => found.has(id)).length);
    const context = { hash, detectedAtMs: clock.now(), isSuspicious };
    const changed = asked.filter(({ recheck }) => {
      const tweet = found.get(recheck.tweetId);
      return tweet === undefined ? recheck.eventId !== "" : mayBeEdited(hash, recheck, tweet);
    });
    const known = new Map(
      (await store.eventsById(changed.map(({ recheck }) => recheck.eventId))).map((event) => [
        event.id,
        event,
      ]),
    );
    return asked.map(({ recheck, subscriber }) =>
      evaluateRecheck(
        subscriber,
        recheck,
        { tweet: found.get(recheck.tweetId), event: known.get(recheck.eventId) },
        {
          ...context,
          missed: missedIn(rechecked(this.#deps), subscriber),
          slowDown: slowDownOf(subscriber.watch.priority),
        },
      ),
    );
  }

  async #commit(
    outcomes: readonly RecheckOutcome[],
    answer?: ReadonlyMap<string, Tweet>,
  ): Promise<boolean> {
    const { clock, trace, route, findEdits, isArchiving, archived } = this.#deps;
    const nowMs = clock.now();
    const events = outcomes.flatMap(({ event }) => event ?? []);
    const routed = events.map((event) => route(event, nowMs));
    const edits = (await findEdits?.(sightsOf(answer?.values() ?? [], events))) ?? [];
    const facts = isArchiving() ? archived.changed(outcomes) : [];
    const changes: PollCommit = {
      atMs: nowMs,
      targets: [],
      verdicts: [],
      ...(edits.length === 0 ? {} : { edits }),
      ...committedOf(routed),
      rechecks: {
        rechecks: outcomes.flatMap(({ next }) => (next === undefined ? [] : [next])),
        ended: outcomes.flatMap(({ ended }) => (ended === undefined ? [] : [ended])),
        late: outcomes.flatMap(({ late }) => (late === undefined ? [] : [late])),
      },
      ...(facts.length === 0
        ? {}
        : {
            archive: [{ atMs: nowMs, source: RECHECK, gatherMs: NO_GATHERING, facts, values: [] }],
          }),
    };
    const created = await commitEvents(this.#deps, changes, { trace, source: RECHECK });
    if (created === undefined) return false;
    archived.remember(facts);
    return true;
  }
}

/** Reports why a batch could not be requested. */
export function reportFailure(
  error: unknown,
  { storeMonitor, log }: Pick<RecheckDeps, "storeMonitor" | "log">,
): void {
  if (storeMonitor.recordError(error)) return;
  if (error instanceof RequestHeld)
    log.debug("fresh tweets wait for their next recheck", { reason: error.reason });
  else log.warn("fresh tweets could not be rechecked", { error });
}

const targetOf = ({ targets }: PlannedWatch, targetKey: string) =>
  targets.find(({ key }) => key === targetKey);

/** Returns the subscriber of a target; undefined if its watch does not recheck tweets any more. */
function subscriberOf(
  following: readonly Planned[],
  { watchKey, targetKey }: TargetRef,
): Subscriber | undefined {
  const own = following.find((one) => one.watchKey === watchKey);
  const target = own === undefined ? undefined : targetOf(own, targetKey);
  if (own === undefined || target === undefined) return undefined;
  return { watch: own.watch, type: own.type, watchKey, targetKey, targetName: target.name };
}

function missedIn(
  planned: readonly PlannedWatch[],
  { watch, watchKey, targetKey }: Subscriber,
): Missed | undefined {
  const targets = planned.flatMap((one) =>
    one.watchKey === watchKey ? (targetOf(one, targetKey) ?? []) : [],
  );
  return targets[0] === undefined ? undefined : missedBy(watch, targets[0]);
}
