/** One poll with all that follows it: what is remembered, counted and told, and when it runs again. */
import type { PollRun } from "../../polling/run/poll-run.ts";
import type { Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import type { Trace } from "../../model/trace.ts";
import type { Aftermath } from "./poll-aftermath.ts";
import type { PollAftermath } from "../../model/poll-aftermath.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { StallWatch } from "../health/stall-watch.ts";
import { STORE_RETRY_MS } from "../health/store-watch.ts";
import type { StoreWatch } from "../../model/store-health.ts";
import type { TargetTrouble } from "../../polling/targets/target-trouble.ts";
import type { VolumeWatch } from "../recheck/volume-watch.ts";
import type { Poll } from "../../polling/watch-poll.ts";

/** Never rejects. */
export type AttemptPoll = (poll: Poll, work: () => Promise<PollOutcome>) => Promise<PollRun>;

export interface AttemptDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly trace: Trace;
  readonly meter: Meter;
  readonly storeWatch: StoreWatch;
  readonly stalls: Pick<StallWatch, "succeeded" | "failed">;
  readonly volume: VolumeWatch;
  readonly aftermath: Aftermath;
  readonly trouble: Pick<TargetTrouble, "takeRenames" | "takeReturned" | "takeAbsent" | "takeRefused">;
  /** By poll key; written here. */
  readonly lastPolledAtMs: Map<string, number>;
  /** By poll key, when one last succeeded; written here. */
  readonly lastOkAtMs: Map<string, number>;
  /** By poll key, why the last run failed; written here. */
  readonly problems: Map<string, string>;
  /** By poll key, holes in what is known of its feed; written here. */
  readonly openHoles: Map<string, number>;
  readonly onPolled: (poll: Poll, outcome: PollOutcome | undefined, error: unknown) => void;
}

/** Drops what is kept of polls that are no longer in force, alone or in a group: when they come back, the state knows when they ran. */
export function forgetOthers(kept: readonly Map<string, unknown>[], polls: readonly Poll[]): void {
  const keys = new Set(polls.flatMap(({ key, group }) => [key, ...(group?.members ?? []).map((member) => member.key)]));
  for (const map of kept) for (const key of map.keys()) if (!keys.has(key)) map.delete(key);
}

export function createAttempt(deps: AttemptDeps): AttemptPoll {
  const { clock, aftermath, trouble } = deps;

  const failed = async (poll: Poll, error: unknown): Promise<PollAftermath> => {
    const after = await aftermath.afterFailure(poll, error);
    if (after.isAnswer === true) {
      deps.problems.delete(poll.key);
      deps.lastOkAtMs.set(poll.key, clock.now());
    } else {
      deps.problems.set(poll.key, errorText(error));
      deps.stalls.failed(poll, error);
    }
    return after;
  };

  const follow = async (poll: Poll, outcome: PollOutcome, type: string): Promise<PollAftermath> => {
    deps.lastPolledAtMs.set(poll.key, clock.now());
    deps.problems.delete(poll.key);
    if (outcome.openHoles !== undefined) deps.openHoles.set(poll.key, outcome.openHoles);
    if (outcome.error === undefined) {
      deps.lastOkAtMs.set(poll.key, clock.now());
      deps.stalls.succeeded(poll, outcome);
    }
    deps.meter.count("chirpwatch_polls_total", { type, outcome: outcome.error === undefined ? "ok" : "cut" });
    deps.onPolled(poll, outcome, outcome.error);
    if (outcome.error === undefined && !outcome.isBlind) await deps.volume.polled(poll);
    await aftermath.tellLosses(poll, outcome);
    if (outcome.renames.length > 0) await trouble.takeRenames(poll, outcome.renames);
    if (outcome.returned.length > 0) await trouble.takeReturned(outcome.returned);
    if (outcome.absent.length > 0) await trouble.takeAbsent(poll, outcome.absent);
    if (outcome.refused.size > 0) await trouble.takeRefused(poll, outcome.refused);
    return outcome.error === undefined ? {} : failed(poll, outcome.error);
  };

  const run = async (poll: Poll, work: () => Promise<PollOutcome>): Promise<PollRun> => {
    const type = poll.subscribers[0]?.watch.type ?? "";
    try {
      const outcome = await work();
      return { aftermath: await follow(poll, outcome, type), outcome };
    } catch (error) {
      deps.onPolled(poll, undefined, error);
      const after = await failed(poll, error).catch((second: unknown): PollAftermath => {
        deps.problems.set(poll.key, errorText(error));
        deps.storeWatch.takeError(second);
        return { retryAtMs: clock.now() + STORE_RETRY_MS };
      });
      deps.meter.count("chirpwatch_polls_total", { type, outcome: after.isAnswer === true ? "ok" : "failed" });
      return { aftermath: after };
    }
  };

  return async (poll, work) => {
    const members = poll.group?.members.map(({ key }) => key);
    const line = { trace: deps.trace.begin(poll.key, members), source: poll.key };
    const startMs = clock.monotonic();
    deps.log.debug("poll started", { ...line, endpoint: poll.source.endpoint, watches: watchesOf(poll) });
    const { aftermath: after, outcome } = await run(poll, work);
    deps.log.debug("poll finished", {
      ...line,
      duration_ms: Math.round(clock.monotonic() - startMs),
      new_items: outcome?.newItems ?? 0,
      events: outcome?.events ?? 0,
      ...(deps.problems.has(poll.key) && { problem: deps.problems.get(poll.key) }),
    });
    deps.trace.end(poll.key, members);
    return { aftermath: after, ...(outcome !== undefined && { outcome }) };
  };
}

const WATCHES_SHOWN = 20;

/** Ids, as many as a line takes. */
const watchesOf = ({ subscribers }: Poll): readonly string[] =>
  [...new Set(subscribers.map(({ watch }) => watch.id))].slice(0, WATCHES_SHOWN);
