/** What one poll writes, in one transaction: the memory of its source, targets, verdicts, events and their deliveries. Pure. */
import { countGaps } from "../../detect/feed-memory.ts";
import type { WantedEdit } from "../../model/edit.ts";
import type { JsonObject } from "../../model/json.ts";
import type { PollCommit, SourceState } from "../../model/poll-store.ts";
import { gatherMs } from "../evaluate/absence.ts";
import { withHandles } from "../evaluate/renames.ts";
import { committedOf, type RouteEvaluated } from "../evaluate/verdicts.ts";
import type { Evaluation } from "./evaluate-poll.ts";
import { rosterRules } from "./observe-list.ts";
import { errorOf, type Observation } from "./observation.ts";
import type { PollState } from "./poll-state.ts";

export interface CommitOptions {
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly route: RouteEvaluated;
  readonly edits: readonly WantedEdit[];
}

export function commitOf(state: PollState, seen: Observation, evaluation: Evaluation, options: CommitOptions): PollCommit {
  const { poll, source } = state;
  const { nowMs } = options;
  const { joined, renames } = evaluation;
  const memory = memoryAfter(source, seen);
  const routed = joined.events.map((event) => options.route(event, nowMs, gatherMs(poll.intervalMs, isWhole(state, seen))));
  return {
    atMs: nowMs,
    source: {
      fingerprint: poll.key,
      expectedRevision: source.revision,
      polledAtMs: options.startedAtMs,
      ok: errorOf(seen) === undefined,
      ...(memory === undefined ? {} : { memory }),
    },
    targets: withHandles(joined.targets, renames),
    verdicts: joined.verdicts,
    ...(joined.members === undefined || joined.members.length === 0 ? {} : { members: joined.members }),
    ...(joined.rechecks === undefined || joined.rechecks.length === 0
      ? {}
      : { rechecks: { rechecks: joined.rechecks, ended: [], late: [] } }),
    ...(options.edits.length === 0 ? {} : { edits: options.edits }),
    ...committedOf(routed),
  };
}

/** Whether no further poll is needed to find what came since the last. Who left a list is known after another complete read. */
function isWhole(state: PollState, seen: Observation): boolean {
  if (seen.kind === "feed") return seen.feed.isHeadWhole && countGaps(seen.feed.memory) === 0;
  return seen.kind === "reading" || (!seen.isOpen && rosterRules(state).every(({ left }) => left === undefined));
}

/** Undefined when nothing changed but the time: a poll that found nothing writes nothing more. */
function memoryAfter(source: SourceState, seen: Observation): JsonObject | undefined {
  if (seen.kind === "reading") return undefined;
  const memory = seen.kind === "feed" ? seen.feed.memory : seen.list.memory;
  return JSON.stringify(memory) === JSON.stringify(source.memory) ? undefined : (memory as unknown as JsonObject);
}
