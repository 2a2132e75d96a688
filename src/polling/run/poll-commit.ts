/**
 * Builds what one poll writes in one transaction: the memory of its source, targets, verdicts,
 * events and their deliveries. Pure.
 */
import type { Findings } from "../../model/archive.ts";
import type { WantedEdit } from "../../model/edit.ts";
import type { JsonObject } from "../../model/json.ts";
import type { LevelFollowUps } from "../../model/level-follow-ups.ts";
import type { PollCommit } from "../../model/poll-store.ts";
import { gatherMs } from "../evaluate/absence.ts";
import { withHandles } from "../evaluate/renames.ts";
import { committedOf, type RouteEvaluated } from "../evaluate/verdicts.ts";
import type { Evaluation } from "./evaluate-poll.ts";
import type { PollState, Seen } from "./seen.ts";

export interface CommitOptions {
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly route: RouteEvaluated;
  readonly edits: readonly WantedEdit[];
  /**
   * The follow-ups of earlier alerts on thresholds. They are committed before the new alerts,
   * because a value can return to normal and cross again.
   */
  readonly followUps?: LevelFollowUps | undefined;
  /** What was new, if it is to be archived. */
  readonly found?: Findings | undefined;
}

export function commitOf(
  { poll, source }: PollState,
  seen: Seen,
  { joined, renames }: Evaluation,
  options: CommitOptions,
): PollCommit {
  const {
    nowMs,
    edits,
    route,
    found,
    followUps = { events: [], deliveries: [], levels: [] },
  } = options;
  const { members = [], rechecks = [] } = joined;
  const gatheredMs = gatherMs(poll.intervalMs, seen.isWhole);
  const { events, deliveries, enrichments } = committedOf(
    joined.events.map((event) => route(event, nowMs, gatheredMs)),
  );
  // The memory is left out if it did not change, so that a poll that found nothing writes only its
  // time.
  const isSame =
    seen.memory === undefined || JSON.stringify(seen.memory) === JSON.stringify(source.memory);
  return {
    atMs: nowMs,
    source: {
      fingerprint: poll.key,
      expectedRevision: source.revision,
      polledAtMs: options.startedAtMs,
      ok: seen.error === undefined,
      ...(isSame ? {} : { memory: seen.memory as unknown as JsonObject }),
    },
    targets: withHandles(joined.targets, renames),
    verdicts: joined.verdicts,
    ...(members.length === 0 ? {} : { members }),
    ...(rechecks.length === 0 ? {} : { rechecks: { rechecks, ended: [], late: [] } }),
    ...(edits.length === 0 ? {} : { edits }),
    ...(followUps.levels.length === 0 ? {} : { levels: followUps.levels }),
    events: [...followUps.events, ...events],
    deliveries: [...followUps.deliveries, ...deliveries],
    enrichments,
    ...(found === undefined
      ? {}
      : { archive: [{ atMs: nowMs, source: poll.key, gatherMs: gatheredMs, ...found }] }),
  };
}
