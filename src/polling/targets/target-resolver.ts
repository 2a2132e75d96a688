/** Keeps asking for the ids of accounts named by their handle, until each is known; and for handles where the service is asked by them. */
import type { UpstreamPacer } from "../../budget/upstream-pacer.ts";
import { type Cancel, type Clock, passedMs } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Log } from "../../model/log.ts";
import type { Notes } from "../../model/store.ts";
import { isRefusal } from "../../model/upstream.ts";
import type { TargetState, WatchStore } from "../../model/watch-store.ts";
import { namedHandles } from "../../plan/polls/named-accounts.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import { askedByHandle, type HandleDeps, refreshHandles, takeHandles } from "./refresh-handles.ts";
import { type ResolverDeps, resolveTargets, type UnknownHandle } from "./resolve-targets.ts";
import { createPatience } from "../../requests/patience.ts";
import type { StoreWatch } from "../../model/store-health.ts";
import type { TargetTrouble } from "./target-trouble.ts";

export interface TargetResolverDeps extends Omit<ResolverDeps, "onMissing" | "store">, HandleDeps {
  readonly store: ResolverDeps["store"] & HandleDeps["store"] & Pick<WatchStore, "loadTargets">;
  readonly pacer: UpstreamPacer;
  readonly storeWatch: StoreWatch;
  readonly trouble: TargetTrouble;
  readonly clock: Clock;
  readonly log: Log;
  readonly watches: () => readonly PlannedWatch[];
  readonly notes: Notes;
  /** Called when a later round, which nobody waits for, found somebody. */
  readonly onFound: () => void;
}

export interface TargetResolver {
  /** Asks for what is unknown, one round after the other, and again later for what stays so. Never rejects. */
  resolve(): Promise<void>;
  /** An account goes by another handle: whatever asks by handle asks by that one from now on. */
  takeRename(userId: string, username: string): Promise<void>;
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
const DAY_MS = 86_400_000;
const UNKNOWN_HANDLE = { reason: "no account has this handle", hint: "Check the spelling, or write the account's id." };
/** When all were looked up last; a restart is no reason to look again. */
const HANDLES_NOTE = "handles.at";

export function createTargetResolver(deps: TargetResolverDeps): TargetResolver {
  const { clock } = deps;
  const patience = createPatience(clock);
  let cancel: Cancel | undefined;
  let isStopped = false;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  /** When authors to ignore were asked for; monotonic. Nobody waits for them: they come along, and one that nobody knows not every time. */
  const ignoredAtMs = new Map<string, number>();
  const isIgnoredDue = (handle: string): boolean => clock.monotonic() - (ignoredAtMs.get(handle) ?? Number.NEGATIVE_INFINITY) >= DAY_MS;
  /** Undefined until the note was read. */
  let handlesAtMs: number | undefined;

  /** By what is missing: a target's own handle, or one that its watch names beside its targets. Of authors to ignore nobody need hear. */
  const onMissing = async (missing: readonly UnknownHandle[]) => {
    const reported = async (watchId: string, targets: readonly TargetState[]) => {
      const current = await deps.store.loadTargets(targets.map(({ watchKey, key }) => ({ watchKey, targetKey: key })));
      return current.map((target) => ({ watchId, target }));
    };
    const unknown = missing.flatMap(({ watchId, target }) => (target === undefined ? [] : [reported(watchId, [target])]));
    await deps.trouble.takeMissing((await Promise.all(unknown)).flat(), UNKNOWN_HANDLE);
    for (const { watchId, watchKey, handle, target } of missing) {
      const planned = deps.watches().find((one) => one.watchKey === watchKey);
      if (target !== undefined || planned === undefined || !namedHandles(planned.watch, planned.type).required.includes(handle)) continue;
      const reason = `no account has the handle @${handle}, which it asks about`;
      await deps.trouble.takeMissing(await reported(watchId, planned.targets), { ...UNKNOWN_HANDLE, reason, isOfNamedAccount: true });
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
    const unknown = unknownHandles(deps.watches());
    const ignored = ignoredHandles(deps.watches()).filter(({ handle }) => isIgnoredDue(handle));
    const areHandlesAsked = deps.watches().some(({ type }) => type.needsHandle === true);
    if (unknown.length + ignored.length === 0 && !areHandlesAsked) return;
    let waitMs = unknown.length > 0 ? AFTER_MISSING_MS : areHandlesAsked ? HANDLES_FRESH_MS : undefined;
    try {
      // What is looked up by its handle now has one.
      if (areHandlesAsked && askedByHandle(deps.watches()).length === 0) await noteRefreshed();
      await resolveTargets([...unknown, ...ignored], { ...deps, onMissing });
      for (const { handle } of ignored) ignoredAtMs.set(handle, clock.monotonic());
      if (areHandlesAsked) waitMs = Math.min(waitMs ?? HANDLES_FRESH_MS, await refresh());
    } catch (error) {
      if (isStopped) return;
      deps.storeWatch.takeError(error);
      deps.log.warn("handles could not be resolved, trying again", { error: errorText(error) });
      if (isRefusal(error)) waitMs = patience.holdMs({ key: "handles", intervalMs: 0 }, AFTER_REFUSAL_MS);
      else waitMs = deps.pacer.status(clock.monotonic()).kind === "stopped" ? AFTER_STOP_MS : AFTER_FAILURE_MS;
    }
    if (!isStopped && waitMs !== undefined) cancel = clock.after(waitMs, () => void resolveAgain());
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
    const before = unknownHandles(deps.watches()).length;
    await resolve();
    if (unknownHandles(deps.watches()).length < before) deps.onFound();
  };

  return {
    resolve,
    takeRename: (userId, username) =>
      takeHandles(
        askedByHandle(deps.watches()).filter(({ target }) => target.userId === userId),
        username,
        deps,
      ),
    async stop() {
      isStopped = true;
      cancel?.();
      await running;
    },
  };
}

/** Of targets, and of accounts that watches name beside them and cannot be polled without. */
function unknownHandles(watches: readonly PlannedWatch[]): readonly UnknownHandle[] {
  return watches.flatMap(({ watch, type, watchKey, paused, targets }) => {
    if (paused) return [];
    const base = { watchId: watch.id, watchKey };
    const own = targets.filter(({ key, userId }) => userId === null && key.startsWith("@"));
    return [
      ...own.map((target) => ({ ...base, target, handle: target.key.slice(1).toLowerCase() })),
      ...namedHandles(watch, type).required.map((handle) => ({ ...base, handle })),
    ];
  });
}

/** Of authors to ignore. */
const ignoredHandles = (watches: readonly PlannedWatch[]): readonly UnknownHandle[] =>
  watches.flatMap(({ watch, type, watchKey, paused }) =>
    paused ? [] : namedHandles(watch, type).optional.map((handle) => ({ watchId: watch.id, watchKey, handle })),
  );
