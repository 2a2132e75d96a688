/**
 * Whether a list holds an account, as its target remembers it, and how far back the account is read once that changes. Asking the list is the
 * check's.
 */
import { readFeedMemory } from "../../detect/feed-memory.ts";
import { horizonMs } from "../../detect/feed-poll.ts";
import type { JsonObject } from "../../model/json.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { Ports } from "../../model/ports.ts";
import { fingerprintOf } from "../../model/source.ts";
import type { TargetState, WatchStore } from "../../model/watch-store.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import type { WatchType } from "../../watches/watch-type.ts";
import { resumedFromMs } from "./evaluate-feed.ts";
import { remember } from "./target-change.ts";

export interface ListMembershipDeps extends Pick<Ports, "clock" | "hash"> {
  readonly store: Pick<PollStore, "commitPoll" | "loadSources"> & Pick<WatchStore, "loadTargets">;
}

/** What a check found of a target, kept in its memory under `list`. */
type ListMembership = "in" | "out";

interface CheckedWatch {
  readonly planned: PlannedWatch<WatchType<any>>;
  /** The last check before this one. */
  readonly checkedAtMs: number | null;
}

const MOST_TRIES = 5;

/** Undefined where it was known. A poll may have been committed at the same moment. */
export async function writeListMembership(
  deps: ListMembershipDeps,
  watch: CheckedWatch,
  found: TargetState,
  list: ListMembership,
): Promise<TargetState | undefined> {
  let target: TargetState | undefined = found;
  for (let tries = 0; tries < MOST_TRIES && target !== undefined; tries += 1) {
    if (target.userId === null || target.memory["list"] === list) return undefined;
    const resume = list === "in" ? await sinceOwnRead(deps, watch, target) : sinceCheck(watch, target);
    const written = await remember(deps.store, target, { list, ...resume }, deps.clock.now());
    if (written !== undefined) return written;
    [target] = await deps.store.loadTargets([{ watchKey: target.watchKey, targetKey: target.key }]);
  }
  return undefined;
}

const sinceCheck = ({ checkedAtMs }: CheckedWatch, { baselineAtMs }: TargetState): JsonObject =>
  checkedAtMs === null || baselineAtMs === null ? {} : { resume_ms: checkedAtMs };

/** The list was read meanwhile without a check of what it shows of the account: its own timeline may have failed, or have a gap. */
async function sinceOwnRead(
  { store, hash, clock }: ListMembershipDeps,
  { planned }: CheckedWatch,
  target: TargetState,
): Promise<JsonObject> {
  if (target.baselineAtMs === null) return {};
  const { settings, maxAgeMs } = planned.watch;
  const own = planned.type.source(settings, { ...target, memory: { list: "out" } });
  const [source] = await store.loadSources([fingerprintOf(hash, own)]);
  const readMs = Math.max(horizonMs(readFeedMemory(source?.memory ?? {})), clock.now() - maxAgeMs);
  const resumeMs = Math.min(readMs, resumedFromMs(target) ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(resumeMs) ? { resume_ms: resumeMs } : {};
}
