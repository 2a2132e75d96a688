/**
 * One poll from request to commit: load, read, evaluate for every subscriber, route, commit once. Owns the order of these steps and the
 * conflict loop; scheduling and notices are others'.
 */
import type { Reach } from "../../detect/feed-poll.ts";
import type { FindEdits } from "../../model/edit.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { Ports } from "../../model/ports.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import type { RouteEvaluated } from "../evaluate/verdicts.ts";
import { createFirstReadPages, type FirstReadPages } from "../read/first-read-pages.ts";
import type { FeedObservation } from "../read/read-feed.ts";
import type { Poll } from "../watch-poll.ts";
import { type EvaluateDeps, evaluatePoll } from "./evaluate-poll.ts";
import { logEvents } from "./event-log.ts";
import type { Observation } from "./observation.ts";
import { observePoll } from "./observe-poll.ts";
import { commitOf } from "./poll-commit.ts";
import { pollList } from "./poll-list.ts";
import { countPoll, NOTHING_POLLED, outcomeOf, type PollOutcome } from "./poll-outcome.ts";
import { sightsOf, tweetsIn } from "./tweet-sights.ts";
import { loadPoll, type PollState } from "./poll-state.ts";

export interface RunnerDeps extends EvaluateDeps, Pick<Ports, "meter" | "log" | "trace"> {
  readonly store: PollStore & Pick<WatchStore, "loadTargets">;
  /** The poll without the subscribers that were paused or removed since it began. */
  readonly withoutRemoved: (poll: Poll) => Poll;
  /** Verdicts of tweets older than this may have been forgotten: such a tweet was perhaps seen before, and is no loss. */
  readonly retentionMs: () => number;
  /** Which sinks an event goes to, by the active configuration. */
  readonly route: RouteEvaluated;
  /** Which sent messages show a tweet otherwise than it was seen; absent where nobody edits any. */
  readonly findEdits?: FindEdits;
  /** Called when deliveries or edits were committed. */
  readonly wakeDelivery: () => void;
}

export interface PollRunner {
  /** `reach`: of a feed, where something knows better how deep it must go. @throws UpstreamError, RequestHeld or a store's error when nothing was learned. */
  run(poll: Poll, reach?: Reach): Promise<PollOutcome>;
  /** The same for a feed that was read already, together with others. */
  take(poll: Poll, feed: FeedObservation): Promise<PollOutcome>;
  /** Pages of the first reads that run now, by watch id. */
  firstReadPages: FirstReadPages["byWatch"];
}

const MOST_CONFLICTS = 8;

export function createPollRunner(deps: RunnerDeps): PollRunner {
  const { store, gate, profiles, clock, serviceClock, log } = deps;
  const firstReads = createFirstReadPages();
  const readerDeps = { store, gate, profiles, clock, serviceClock, log, firstReads };
  const runWith = (poll: Poll, see: See): Promise<PollOutcome> => runPoll(deps, poll, see);
  return {
    run(poll, reach) {
      const running =
        poll.detector === "roster"
          ? pollList(readerDeps, poll, runWith)
          : runWith(poll, (state, startedAtMs) => observePoll(readerDeps, state, { startedAtMs, reach }));
      return running.finally(() => firstReads.end(poll));
    },
    take: (poll, feed) => runWith(poll, async () => ({ kind: "feed", feed })),
    firstReadPages: firstReads.byWatch,
  };
}

/** What the poll sees; undefined: nothing is left to read. */
type See = (state: PollState, startedAtMs: number) => Promise<Observation | undefined>;

/** Read once; evaluated and committed again where the state was changed meanwhile. */
async function runPoll(deps: RunnerDeps, planned: Poll, see: See): Promise<PollOutcome> {
  const { store, clock, route } = deps;
  const startedAtMs = clock.now();
  const load = () => loadPoll(store, deps.withoutRemoved(planned));
  let state = await load();
  if (state.poll.subscribers.length === 0) return NOTHING_POLLED;
  const seen = await see(state, startedAtMs);
  if (seen === undefined) return NOTHING_POLLED;
  // A request may have waited for hours.
  if (deps.withoutRemoved(state.poll) !== state.poll) state = await load();
  for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts += 1) {
    if (state.poll.subscribers.length === 0) return NOTHING_POLLED;
    const evaluation = await evaluatePoll(deps, state, seen);
    const edits = (await deps.findEdits?.(sightsOf(tweetsIn(seen), evaluation.joined.events))) ?? [];
    const commit = commitOf(state, seen, evaluation, { startedAtMs, nowMs: clock.now(), route, edits });
    const result = await store.commitPoll(commit);
    if (result.status === "committed") {
      deps.trace.remember(planned.key, result.created);
      logEvents(deps.log, commit, result.created, deps.trace.ofSource(planned.key));
      if (result.created.size + edits.length > 0) deps.wakeDelivery();
      countPoll(deps.meter, state.poll, commit, result.created);
      return outcomeOf(state, seen, evaluation, { events: result.created.size, rememberedFromMs: clock.now() - deps.retentionMs() });
    }
    state = await load();
  }
  throw new Error(`poll ${planned.key} met ${MOST_CONFLICTS} conflicts in a row`);
}
