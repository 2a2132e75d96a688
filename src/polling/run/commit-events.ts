/**
 * A commit with what follows from the events that it creates: they are counted, logged and
 * delivered.
 */
import type { FindEdits } from "../../model/edit.ts";
import { groupBy } from "../../model/group-by.ts";
import type { FollowLevels } from "../../model/level-follow-ups.ts";
import type { Log } from "../../model/log.ts";
import type { PollCommit, PollStore } from "../../model/poll-store.ts";
import type { Ports } from "../../model/ports.ts";
import type { RouteEvaluated } from "../evaluate/verdicts.ts";

export interface CommitDeps extends Pick<Ports, "log" | "meter"> {
  readonly store: Pick<PollStore, "commitPoll">;
  /** Called when deliveries or edits were committed. */
  readonly wakeDelivery: () => void;
}

export interface PolledCommitDeps extends CommitDeps {
  /** Which sinks an event goes to, by the active configuration. */
  readonly route: RouteEvaluated;
  /** Which sent messages show a tweet otherwise than it was seen; absent where nobody edits any. */
  readonly findEdits?: FindEdits | undefined;
  /** What follows for alerts on values; absent where nobody repeats or ends them. */
  readonly followLevels?: FollowLevels | undefined;
}

/** The run of a poll, by the source that it is known under. */
interface Run extends Pick<Ports, "trace"> {
  readonly source: string;
}

/**
 * Ids of the events that are new to the state; undefined after a conflict, which commits nothing.
 * `run`: which they came from, if any.
 */
export async function commitEvents(
  deps: CommitDeps,
  commit: PollCommit,
  run?: Run,
): Promise<ReadonlySet<string> | undefined> {
  const { store, log, meter, wakeDelivery } = deps;
  const result = await store.commitPoll(commit);
  if (result.status === "conflict") return undefined;
  const { created } = result;
  run?.trace.remember(run.source, created);
  logEvents(log, commit, created, run?.trace.ofSource(run.source));
  for (const { id, watchKey, watch, type } of commit.events)
    if (created.has(id))
      meter.count("chirpwatch_events_total", { watch: watchKey === "" ? "" : watch, event: type });
  if (created.size + (commit.edits?.length ?? 0) > 0) wakeDelivery();
  return created;
}

/** Debug lines: where each event goes. */
function logEvents(
  log: Log,
  commit: PollCommit,
  created: ReadonlySet<string>,
  trace?: string,
): void {
  const byEvent = groupBy(commit.deliveries, ({ eventId }) => eventId);
  for (const { id, type, watch, subject } of commit.events) {
    if (!created.has(id)) continue;
    const deliveries = byEvent.get(id) ?? [];
    const muted = deliveries.filter(({ mutedBy }) => mutedBy !== undefined);
    const silenced = deliveries.filter(
      ({ mutedBy, silencedBy }) => mutedBy === undefined && silencedBy !== undefined,
    );
    log.debug("event routed", {
      ...(trace !== undefined && { trace }),
      event: id,
      type,
      watch,
      subject,
      sinks: deliveries
        .filter((one) => !muted.includes(one) && !silenced.includes(one))
        .map(({ sink }) => sink),
      ...(muted.length > 0 && { muted: muted.map(({ sink, mutedBy }) => `${sink}: ${mutedBy}`) }),
      ...(silenced.length > 0 && {
        silenced: silenced.map(({ sink, silencedBy }) => `${sink}: ${silencedBy}`),
      }),
    });
  }
}
