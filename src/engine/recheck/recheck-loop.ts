/**
 * Looks at fresh tweets again, a hundred a request over all watches that follow any. What is due stands in the state, so a crash or a
 * restart loses no look and tells nothing twice: what was due meanwhile is looked at once. Which watch wants what is the engine's.
 */
import { isBlindAnswer, nextLookMs } from "../../detect/recheck.ts";
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Cancel, Clock } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import { mostUrgent, type Priority } from "../../model/schedule.ts";
import type { PollCommit, PollStore } from "../../model/poll-store.ts";
import { LOOK_OWED_MS, type Recheck, type RecheckStore } from "../../model/recheck.ts";
import type { TargetRef } from "../../model/watch-store.ts";
import type { Trace } from "../../model/trace.ts";
import type { Tweet } from "../../model/tweet.ts";
import { isRefusal } from "../../model/upstream.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import { createJumpWatch } from "../../schedule/misfire.ts";
import type { WatchType } from "../../watches/watch-type.ts";
import { logEvents } from "../../polling/run/event-log.ts";
import { type Missed, missedBy } from "../../polling/evaluate/absence.ts";
import { judgeRecheck, type Look, pacedMs, refOf, turnOf } from "../../polling/evaluate/judge-recheck.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import { RequestHeld } from "../../requests/request-held.ts";
import type { StoreWatch } from "../../model/store-health.ts";
import type { RouteJudged } from "../../polling/evaluate/verdicts.ts";
import type { Subscriber } from "../../polling/watch-poll.ts";

export interface RecheckDeps {
  readonly store: RecheckStore & Pick<PollStore, "commitPoll">;
  readonly storeWatch: Pick<StoreWatch, "trouble" | "takeError">;
  readonly gate: RequestGate;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly meter: Meter;
  readonly log: Log;
  readonly trace: Trace;
  readonly route: RouteJudged;
  readonly wakeDelivery: () => void;
  /** How much slower polls of a priority go while the quota is short. */
  readonly stretch: (priority: Priority) => number;
  /** Those in force now. */
  readonly watches: () => readonly PlannedWatch<WatchType<any>>[];
}

export interface RecheckLoop {
  start(): void;
  /** Looks at the clock again: what is due by it is read. */
  wake(): void;
  /** Looks may go faster than when they were put off. */
  repace(): void;
  /** Resolves when a look under way is done. */
  stop(): Promise<void>;
}

/** Wake at least so often: what could not be asked is tried again, and the clock may have been set. */
const LONGEST_SLEEP_MS = 60_000;
/** Whose backoff its requests share, and the name of its runs. */
const RECHECK = "recheck";

const targetOf = ({ targets }: PlannedWatch, targetKey: string) => targets.find(({ key }) => key === targetKey);

function missedIn(planned: readonly PlannedWatch[], { watch, watchKey, targetKey }: Subscriber): Missed | undefined {
  const targets = planned.flatMap((one) => (one.watchKey === watchKey ? (targetOf(one, targetKey) ?? []) : []));
  return targets[0] === undefined ? undefined : missedBy(watch, targets[0]);
}

export function createRecheckLoop(deps: RecheckDeps): RecheckLoop {
  const { store, clock } = deps;
  let cancel: Cancel | undefined;
  let running: Promise<void> = Promise.resolve();
  /** Also at the start: the quota may have been raised meanwhile. */
  let isPaceNew = true;
  const jumps = createJumpWatch(clock.now(), clock.monotonic());
  let payer = 0;
  let isStopped = false;

  const following = () => deps.watches().filter(({ watch, paused }) => watch.recheck !== undefined && !paused);
  const intervalsMs = () => following().flatMap(({ watch }) => watch.recheck?.everyMs ?? []);

  /** Undefined when the watch follows its tweets no longer. */
  const subscriberOf = ({ watchKey, targetKey }: TargetRef): Subscriber | undefined => {
    const own = following().find((one) => one.watchKey === watchKey);
    const target = own === undefined ? undefined : targetOf(own, targetKey);
    if (own === undefined || target === undefined) return undefined;
    return { watch: own.watch, type: own.type, watchKey, targetKey, targetName: target.name };
  };

  const arm = () => {
    cancel?.();
    if (isStopped) return;
    const nowMs = clock.now();
    const waits = intervalsMs().map((everyMs) => nextLookMs(nowMs, everyMs) - nowMs);
    cancel = clock.after(Math.min(LONGEST_SLEEP_MS, ...waits), wake);
  };

  const wake = () => {
    cancel?.();
    running = running
      .then(() => (isStopped ? undefined : runDue()))
      .catch((error: unknown) => report(error))
      .finally(arm);
  };

  /** What was put off for longer than anything is now; looks that are due keep their turn. */
  const hasten = async (): Promise<void> => {
    isPaceNew = false;
    try {
      for (const { watch, watchKey } of following()) {
        const [nowMs, everyMs] = [clock.now(), pacedMs(watch, deps.stretch(watch.priority))];
        await store.hastenRechecks(watchKey, nowMs + everyMs, nextLookMs(nowMs, everyMs));
      }
    } catch (error) {
      isPaceNew = true;
      throw error;
    }
  };

  const report = (error: unknown) => {
    if (deps.storeWatch.takeError(error)) return;
    if (error instanceof RequestHeld) deps.log.debug("fresh tweets wait for their next look", { reason: error.reason });
    else deps.log.warn("fresh tweets could not be looked at", { error });
  };

  const runDue = async (): Promise<void> => {
    // What was due by a clock that was ahead would wait as long as it was set back.
    if (jumps.observe(clock.now(), clock.monotonic()) < 0) isPaceNew = true;
    if (isPaceNew && deps.storeWatch.trouble === undefined) await hasten();
    while (!isStopped && deps.storeWatch.trouble === undefined && intervalsMs().length > 0) {
      const rows = await store.dueRechecks(clock.now(), BATCH_SIZE);
      if (rows.length === 0 || !(await runBatch(rows))) return;
    }
  };

  const turned = ({ recheck, subscriber: { watch } }: Followed): Recheck => ({
    ...recheck,
    dueAtMs: turnOf(watch, recheck, deps.stretch(watch.priority)),
  });

  /** False when nothing more can be done now. */
  const runBatch = async (rows: readonly Recheck[]): Promise<boolean> => {
    const followed = rows.flatMap((recheck) => {
      const subscriber = recheck.untilMs + LOOK_OWED_MS < clock.now() ? undefined : subscriberOf(recheck);
      return subscriber === undefined ? [] : [{ recheck, subscriber }];
    });
    const live = new Set(followed.map(({ recheck }) => recheck));
    const stale = rows.filter((row) => !live.has(row));
    if (stale.length > 0) return commit(stale.map((row) => ({ ended: refOf(row) })));
    const early = followed.map(turned).filter(({ dueAtMs }) => dueAtMs > clock.now());
    if (early.length > 0) return commit(early.map((next) => ({ next })));
    const ids = [...new Set(rows.map(({ tweetId }) => tweetId))];
    deps.trace.begin(RECHECK);
    try {
      return await commit(await judge(followed, ids, await ask(ids, followed)));
    } finally {
      deps.trace.end(RECHECK);
    }
  };

  /**
   * Booked on those it is made for, each in their turn. Undefined: refused, and that look is over, for asking again at once would be refused again and paid for. A 404 is an answer without any of
   * them: so the service may say it of tweets that are all gone.
   */
  const ask = async (ids: readonly string[], asked: readonly Followed[]): Promise<ReadonlyMap<string, Tweet> | undefined> => {
    try {
      const answer = await deps.gate.request({
        endpoint: "tweet-info-bulk",
        params: { tweet_links: ids },
        source: RECHECK,
        watch: asked[payer++ % asked.length]?.subscriber.watch.id ?? "",
        priority: mostUrgent(asked.map(({ subscriber }) => subscriber.watch.priority)),
        purpose: "poll",
      });
      return new Map((answer.tweets ?? []).map((tweet) => [tweet.id, tweet]));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      report(error);
      return error.kind === "not_found" ? new Map() : undefined;
    }
  };

  const judge = async (
    asked: readonly Followed[],
    ids: readonly string[],
    answer: ReadonlyMap<string, Tweet> | undefined,
  ): Promise<readonly Look[]> => {
    const found = answer ?? new Map<string, Tweet>();
    const isBlind = answer === undefined || isBlindAnswer(ids.length, ids.filter((id) => found.has(id)).length);
    const context = { hash: deps.hash, detectedAtMs: clock.now(), isBlind };
    const missing = asked.filter(({ recheck }) => recheck.eventId !== "" && !found.has(recheck.tweetId));
    const told = new Map((await store.eventsById(missing.map(({ recheck }) => recheck.eventId))).map((event) => [event.id, event]));
    return asked.map(({ recheck, subscriber }) =>
      judgeRecheck(subscriber, recheck, found.get(recheck.tweetId), told.get(recheck.eventId), {
        ...context,
        missed: missedIn(following(), subscriber),
        stretch: deps.stretch(subscriber.watch.priority),
      }),
    );
  };

  const commit = async (looks: readonly Look[]): Promise<boolean> => {
    const nowMs = clock.now();
    const routed = looks.flatMap(({ event }) => (event === undefined ? [] : [deps.route(event, nowMs)]));
    const changes: PollCommit = {
      atMs: nowMs,
      targets: [],
      verdicts: [],
      events: routed.map(({ event }) => event),
      deliveries: routed.flatMap(({ deliveries }) => deliveries),
      rechecks: {
        rechecks: looks.flatMap(({ next }) => (next === undefined ? [] : [next])),
        ended: looks.flatMap(({ ended }) => (ended === undefined ? [] : [ended])),
        late: looks.flatMap(({ late }) => (late === undefined ? [] : [late])),
      },
    };
    const result = await store.commitPoll(changes);
    if (result.status === "conflict") return false;
    deps.trace.remember(RECHECK, result.born);
    logEvents(deps.log, changes, result.born, deps.trace.ofSource(RECHECK));
    for (const { event } of routed)
      if (result.born.has(event.id)) deps.meter.count("chirpwatch_events_total", { watch: event.watch, event: event.type });
    if (result.born.size > 0) deps.wakeDelivery();
    return true;
  };

  return {
    start: wake,
    wake,
    repace: () => void (isPaceNew = true),
    async stop() {
      isStopped = true;
      cancel?.();
      await running;
    },
  };
}

interface Followed {
  readonly recheck: Recheck;
  readonly subscriber: Subscriber;
}
