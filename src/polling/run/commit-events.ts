/** Commits events and handles what follows from them: they are counted, logged and delivered. */
import type { FindEdits } from "../../model/edit.ts";
import { groupBy } from "../../model/group-by.ts";
import type { FollowLevels } from "../../model/level-follow-ups.ts";
import type { Log } from "../../model/log.ts";
import type { PollCommit, PollStore } from "../../model/poll-store.ts";
import type { Ports } from "../../model/ports.ts";
import type { RouteEvaluated } from "../evaluate/verdicts.ts";
import type { ArchivedNumbers } from "./archived-numbers.ts";

export interface CommitDeps extends Pick<Ports, "log" | "meter"> {
  readonly store: Pick<PollStore, "commitPoll">;
  /** Called when deliveries or edits were committed, so that they are sent without delay. */
  readonly wakeDelivery: () => void;
}

export interface PolledCommitDeps extends CommitDeps {
  /** Decides to which sinks an event goes, by the active configuration. */
  readonly route: RouteEvaluated;
  /**
   * Finds sent messages whose tweet has changed since they were sent; absent if no sink edits its
   * messages.
   */
  readonly findEdits?: FindEdits | undefined;
  /**
   * Creates follow-ups of alerts on thresholds: repetitions, and alerts that a value is back to
   * normal. Absent if no sink sends either.
   */
  readonly followLevels?: FollowLevels | undefined;
  /** Whether what is new is archived now. */
  readonly isArchiving: () => boolean;
  /** The numbers of tweets as they were last archived. */
  readonly archived: ArchivedNumbers;
}

/** The run of a poll, with the key of its source. */
interface Run extends Pick<Ports, "trace"> {
  readonly source: string;
}

/**
 * Commits, and resolves to the ids of the events that are new to the state. After a conflict
 * nothing is committed, and it resolves to undefined. `run` is the poll that found them, if any.
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

/** Writes debug lines about where each event goes. */
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
      trace,
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
