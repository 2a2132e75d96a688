/** Keeps asking for the ids of accounts named by their handle, until each is known; and for handles where the service is asked by them. */
import type { UpstreamPacer } from "../budget/upstream-pacer.ts";
import { type Cancel, type Clock, passedMs } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import type { Notes } from "../model/store.ts";
import { isRefusal } from "../model/upstream.ts";
import type { TargetState } from "../model/watch-store.ts";
import type { PlannedWatch } from "../plan/plan-polls.ts";
import { askedByHandle, type HandleDeps, refreshHandles } from "./refresh-handles.ts";
import { type ResolverDeps, resolveTargets, type UnresolvedTarget } from "./resolve-targets.ts";
import { createPatience } from "./patience.ts";
import type { StoreWatch } from "./store-watch.ts";
import type { TargetTrouble } from "./target-trouble.ts";

export interface TargetResolverDeps extends Omit<ResolverDeps, "onMissing" | "store">, HandleDeps {
  readonly store: ResolverDeps["store"] & HandleDeps["store"];
  readonly pacer: UpstreamPacer;
  readonly storeWatch: StoreWatch;
  readonly trouble: TargetTrouble;
  readonly clock: Clock;
  readonly log: Log;
  readonly watches: () => readonly PlannedWatch[];
  readonly notes: Notes;
  /** Called when a later round, which nobody waits for, found somebody. */
  readonly onFound: () => void;
  /** Told once for a target that cannot be found at all. */
  readonly onMissing: (watchId: string) => void;
}

export interface TargetResolver {
  /** Asks for what is unknown, one round after the other, and again later for what stays so. Never rejects. */
  resolve(): Promise<void>;
  /** Resolves when a round under way is done. */
  stop(): Promise<void>;
}

const AFTER_FAILURE_MS = 5_000;
const AFTER_STOP_MS = 60_000;
/** What the service refuses as such it will refuse again: asked for less and less often, each time paid for. */
const AFTER_REFUSAL_MS = 3_600_000;
/** A handle that nobody has may be taken tomorrow. */
const AFTER_MISSING_MS = 3_600_000;
/** How long a handle is trusted: one request a hundred accounts. */
const HANDLES_FRESH_MS = 6 * 3_600_000;
/** When all were looked up last; a restart is no reason to look again. */
const HANDLES_NOTE = "handles.at";

export function createTargetResolver(deps: TargetResolverDeps): TargetResolver {
  const { clock } = deps;
  const patience = createPatience(clock);
  let cancel: Cancel | undefined;
  let isStopped = false;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  /** Undefined until the note was read. */
  let handlesAtMs: number | undefined;

  const onMissing = async (missing: readonly TargetState[]) => {
    const watchIds = new Map(deps.watches().map(({ watchKey, watch }) => [watchKey, watch.id]));
    for (const target of missing) {
      const watchId = watchIds.get(target.watchKey) ?? "";
      if (target.status !== "unavailable") deps.onMissing(watchId);
      await deps.trouble.takeMissing(watchId, target);
    }
  };

  const readNote = async (): Promise<number> => {
    const atMs = await deps.notes.readNote(HANDLES_NOTE);
    return typeof atMs === "number" ? atMs : Number.NEGATIVE_INFINITY;
  };

  const noteRefreshed = async (): Promise<void> => {
    handlesAtMs = clock.now();
    await deps.notes.writeNote(HANDLES_NOTE, handlesAtMs);
  };

  /** Handles that are unknown, or all of them when it is time. Milliseconds until that is so again. */
  const refresh = async (): Promise<number> => {
    const accounts = askedByHandle(deps.watches());
    handlesAtMs ??= await readNote();
    const isDue = passedMs(handlesAtMs, clock.now()) >= HANDLES_FRESH_MS;
    const asked = isDue ? accounts : accounts.filter(({ target }) => target.username === null);
    if (asked.length > 0) await refreshHandles(asked, deps);
    if (isDue) await noteRefreshed();
    return handlesAtMs + HANDLES_FRESH_MS - clock.now();
  };

  const lookUp = async (): Promise<void> => {
    cancel?.();
    if (isStopped) return;
    const unresolved = unresolvedTargets(deps.watches());
    const areHandlesAsked = deps.watches().some(({ type }) => type.needsHandle === true);
    if (unresolved.length === 0 && !areHandlesAsked) return;
    let waitMs = unresolved.length > 0 ? AFTER_MISSING_MS : HANDLES_FRESH_MS;
    try {
      // What is looked up by its handle now has one.
      if (areHandlesAsked && askedByHandle(deps.watches()).length === 0) await noteRefreshed();
      if (unresolved.length > 0) await resolveTargets(unresolved, { ...deps, onMissing });
      if (areHandlesAsked) waitMs = Math.min(waitMs, await refresh());
    } catch (error) {
      if (isStopped) return;
      deps.storeWatch.takeError(error);
      deps.log.warn("handles could not be resolved, trying again", { error: errorText(error) });
      if (isRefusal(error)) waitMs = patience.holdMs({ key: "handles", intervalMs: 0 }, AFTER_REFUSAL_MS);
      else waitMs = deps.pacer.status(clock.monotonic()).kind === "stopped" ? AFTER_STOP_MS : AFTER_FAILURE_MS;
    }
    if (!isStopped) cancel = clock.after(waitMs, () => void resolveAgain());
  };

  /** Whoever comes during a round waits for the next one: it asks for the rest of all of them at once. */
  const resolve = (): Promise<void> => {
    if (running !== undefined) {
      next ??= running.then(() => {
        next = undefined;
        return resolve();
      });
      return next;
    }
    running = lookUp().finally(() => (running = undefined));
    return running;
  };

  const resolveAgain = async (): Promise<void> => {
    const before = unresolvedTargets(deps.watches()).length;
    await resolve();
    if (unresolvedTargets(deps.watches()).length < before) deps.onFound();
  };

  return {
    resolve,
    async stop() {
      isStopped = true;
      cancel?.();
      await running;
    },
  };
}

const unresolvedTargets = (watches: readonly PlannedWatch[]): readonly UnresolvedTarget[] =>
  watches.flatMap(({ watch, paused, targets }) =>
    paused
      ? []
      : targets
          .filter(({ key, userId }) => userId === null && key.startsWith("@"))
          .map((target) => ({ watchId: watch.id, target, handle: target.key.slice(1) })),
  );
