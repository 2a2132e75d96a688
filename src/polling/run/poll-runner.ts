/**
 * Runs one poll from request to commit: load, read, evaluate for every subscriber, route, commit
 * once. Decides the order of these steps and retries after conflicts; scheduling and ops alerts are
 * done elsewhere.
 */
import type { Reach } from "../../detect/feed-poll.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { Ports } from "../../model/ports.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import { askFor } from "../ask.ts";
import { joinFound } from "../evaluate/found.ts";
import { targetsOfReaders } from "../evaluate/load-subscribers.ts";
import { isFirstRead } from "../read/baselines.ts";
import { createFirstReadPages } from "../read/first-read-pages.ts";
import type { FeedObservation } from "../read/read-feed.ts";
import type { Poll } from "../watch-poll.ts";
import { type EvaluateDeps, type Evaluation, evaluatePoll, outcomeOf } from "./evaluate-poll.ts";
import { commitEvents, type PolledCommitDeps } from "./commit-events.ts";
import { readFeedPoll, seenFeed } from "./feed.ts";
import { pollList } from "./member-list.ts";
import { commitOf } from "./poll-commit.ts";
import { countPoll, NOTHING_POLLED, type PollOutcome } from "./poll-outcome.ts";
import { readRecordPoll } from "./records.ts";
import { loadPoll, type PollState, type Seen } from "./seen.ts";
import { sightsOf } from "./tweet-sights.ts";

export interface RunnerDeps extends EvaluateDeps, PolledCommitDeps, Pick<Ports, "log" | "trace"> {
  readonly store: PollStore & Pick<WatchStore, "loadTargets">;
  /** Returns the poll without the subscribers that were paused or removed since it began. */
  readonly withoutRemoved: (poll: Poll) => Poll;
  /**
   * Returns for how long verdicts are kept, in ms. The verdict of an older tweet may be deleted, so
   * such a tweet is not counted as found too late.
   */
  readonly retentionMs: () => number;
}

/** Reads the poll. Resolves to undefined if nothing is left to read. */
type See = (state: PollState, startedAtMs: number) => Promise<Seen | undefined>;

const MAX_CONFLICTS = 8;

export class PollRunner {
  readonly #deps: RunnerDeps;
  readonly #firstReads = createFirstReadPages();

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /**
   * Runs a poll. `reach` says how deep a feed must be read, if something other than the schedule
   * decides that.
   * @throws UpstreamError, RequestHeld or a store's error if nothing was learned
   */
  run(poll: Poll, reach?: Reach): Promise<PollOutcome> {
    const { store, gate, profiles, clock, log } = this.#deps;
    const firstReads = this.#firstReads;
    const running =
      poll.detector === "roster"
        ? pollList({ store, gate, profiles, clock, log, firstReads }, poll, (planned, see) =>
            this.#run(planned, see),
          )
        : this.#run(poll, (state, startedAtMs) => this.#read(state, startedAtMs, reach));
    return running.finally(() => firstReads.end(poll));
  }

  /**
   * Evaluates a feed that was already read together with others. Its commit goes through `commits`.
   */
  processFeed(
    poll: Poll,
    feed: FeedObservation,
    commits: Pick<PollStore, "commitPoll">,
  ): Promise<PollOutcome> {
    return this.#run(poll, async () => seenFeed(feed), commits);
  }

  /** Returns the pages of the first reads that run now, by watch id. */
  firstReadPages(): ReadonlyMap<string, number> {
    return this.#firstReads.byWatch();
  }

  async #read(state: PollState, startedAtMs: number, reach: Reach | undefined): Promise<Seen> {
    const { gate, profiles, serviceClock } = this.#deps;
    const { poll, readers } = state;
    const isFirst = isFirstRead(poll, targetsOfReaders(readers));
    const ask = isFirst
      ? this.#firstReads.count(poll, askFor(gate, poll, "baseline"))
      : askFor(gate, poll, "poll");
    if (poll.detector === "feed")
      return readFeedPoll(ask, state, { startedAtMs, reach, serviceClock });
    return readRecordPoll(ask, poll, profiles, isFirst);
  }

  /**
   * Reads once, then evaluates and commits. If the state was changed meanwhile, it is evaluated and
   * committed again.
   */
  async #run(
    planned: Poll,
    see: See,
    commits: Pick<PollStore, "commitPoll"> = this.#deps.store,
  ): Promise<PollOutcome> {
    const { store, clock, withoutRemoved, retentionMs } = this.#deps;
    const startedAtMs = clock.now();
    const load = () => loadPoll(store, withoutRemoved(planned));
    let state = await load();
    if (state.poll.subscribers.length === 0) return NOTHING_POLLED;
    const seen = await see(state, startedAtMs);
    if (seen === undefined) return NOTHING_POLLED;
    // A request may have waited for hours, and subscribers may have been removed meanwhile.
    if (withoutRemoved(state.poll) !== state.poll) state = await load();
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      if (state.poll.subscribers.length === 0) return NOTHING_POLLED;
      const evaluation = await evaluatePoll(this.#deps, state, seen);
      const created = await this.#commit(state, seen, evaluation, { startedAtMs, commits });
      if (created !== undefined)
        return outcomeOf(state, seen, evaluation, {
          events: created.size,
          rememberedFromMs: clock.now() - retentionMs(),
        });
      state = await load();
    }
    throw new Error(`poll ${planned.key} met ${MAX_CONFLICTS} conflicts in a row`);
  }

  /**
   * Commits. Resolves to the ids of the new events; undefined if the state was changed meanwhile.
   */
  async #commit(
    state: PollState,
    seen: Seen,
    evaluation: Evaluation,
    {
      startedAtMs,
      commits,
    }: { readonly startedAtMs: number; readonly commits: Pick<PollStore, "commitPoll"> },
  ): Promise<ReadonlySet<string> | undefined> {
    const { clock, route, trace, log, meter, wakeDelivery } = this.#deps;
    const { findEdits, followLevels, isArchiving, archived } = this.#deps;
    const { poll } = state;
    const edits = (await findEdits?.(sightsOf(seen.tweets, evaluation.joined.events))) ?? [];
    const followUps = await followLevels?.(evaluation.joined.targets);
    const found = isArchiving() ? joinFound(evaluation.evaluations) : undefined;
    const commit = commitOf(state, seen, evaluation, {
      startedAtMs,
      nowMs: clock.now(),
      route,
      edits,
      followUps,
      found,
    });
    const created = await commitEvents({ store: commits, log, meter, wakeDelivery }, commit, {
      trace,
      source: poll.key,
    });
    if (created === undefined) return undefined;
    countPoll(meter, poll, commit, created);
    archived.rememberPolled(found?.facts ?? [], state.poll.subscribers);
    return created;
  }
}
