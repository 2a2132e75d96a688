/**
 * Looks up the ids of accounts that watches name by their handle, until each id is known. For
 * watches that can only ask the service by handle, it also keeps the handles of accounts up to
 * date.
 */
import type { UpstreamPacer } from "../../budget/upstream-pacer.ts";
import { type Cancel, passedMs } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import { createRounds } from "../../model/in-turn.ts";
import type { Ports } from "../../model/ports.ts";
import { isRefusal } from "../../model/upstream.ts";
import type { TargetState, WatchStore } from "../../model/watch-store.ts";
import { namedHandles } from "../../plan/polls/named-accounts.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import { createRefusalBackoff, type RefusalBackoff } from "../../requests/refusal-backoff.ts";
import {
  askedByHandle,
  HandleLookup,
  type HandleLookupDeps,
  type UnknownHandle,
} from "./handle-lookup.ts";
import type { ReportedTarget } from "./target-alerts.ts";
import type { TargetTrouble } from "./target-trouble.ts";

export interface TargetResolverDeps
  extends HandleLookupDeps,
    Pick<Ports, "storeMonitor" | "log" | "notes"> {
  readonly store: HandleLookupDeps["store"] & Pick<WatchStore, "loadTargets">;
  readonly pacer: UpstreamPacer;
  readonly trouble: TargetTrouble;
  readonly watches: () => readonly PlannedWatch[];
  /** Called when a round that a timer started has found an account. */
  readonly onFound: () => void;
}

const AFTER_FAILURE_MS = 5_000;
const AFTER_STOP_MS = 60_000;
/**
 * The maximum wait after a refusal. The service will probably refuse the same request again, and
 * each one is billed, so the waits become longer up to this one.
 */
const AFTER_REFUSAL_MS = 3_600_000;
/**
 * The wait before a handle that no account has is looked up again, because somebody may have taken
 * it.
 */
const AFTER_MISSING_MS = 3_600_000;
/**
 * How long a stored handle counts as current. Looking handles up takes one request per hundred
 * accounts.
 */
const HANDLES_FRESH_MS = 6 * 3_600_000;
const DAY_MS = 86_400_000;
const UNKNOWN_HANDLE = {
  reason: "no account has this handle",
  hint: "Check the spelling, or write the account's id.",
};
/**
 * The name of the note with the time of the last look-up of all handles, so that a restart does not
 * repeat it.
 */
const HANDLES_NOTE = "handles.at";

export class TargetResolver {
  readonly #deps: TargetResolverDeps;
  readonly #lookup: HandleLookup;
  readonly #backoff: RefusalBackoff;
  readonly #rounds = createRounds(() => this.#runRound());
  #cancel: Cancel | undefined;
  #isStopped = false;
  #last: Promise<void> = Promise.resolve();
  /**
   * When the handle of each ignored author was last looked up, in monotonic ms. No poll waits for
   * these handles, so they are only added to look-ups of other handles, each once a day.
   */
  readonly #ignoredAtMs = new Map<string, number>();
  /**
   * When all handles were last looked up, in epoch ms by this machine's clock; undefined until the
   * note was read.
   */
  #handlesAtMs: number | undefined;

  constructor(deps: TargetResolverDeps) {
    this.#deps = deps;
    this.#lookup = new HandleLookup(deps);
    this.#backoff = createRefusalBackoff(deps.clock);
  }

  /**
   * Looks up unknown handles in rounds, one after the other. Handles that stay unknown are tried
   * again later. A call during a round waits for the next round, which serves all calls that wait.
   * Never rejects.
   */
  resolve(): Promise<void> {
    this.#last = this.#rounds();
    return this.#last;
  }

  /**
   * Stores the new handle of an account in all targets that ask by handle. Called when another poll
   * saw the new handle.
   */
  handleRename(userId: string, username: string): Promise<void> {
    const own = askedByHandle(this.#deps.watches()).filter(
      ({ target }) => target.userId === userId,
    );
    return this.#lookup.storeHandles(own, () => username);
  }

  /** Resolves when a running round has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#last;
  }

  async #runRound(): Promise<void> {
    const { clock, watches } = this.#deps;
    this.#cancel?.();
    if (this.#isStopped) return;
    const unknown = unknownHandles(watches());
    const ignored = ignoredHandles(watches()).filter(({ handle }) => this.#isIgnoredDue(handle));
    const areHandlesAsked = watches().some(({ type }) => type.needsHandle === true);
    if (unknown.length + ignored.length === 0 && !areHandlesAsked) return;
    let waitMs =
      unknown.length > 0 ? AFTER_MISSING_MS : areHandlesAsked ? HANDLES_FRESH_MS : undefined;
    try {
      // If no account has an id yet, this round looks all accounts up by handle, so their handles
      // are current afterwards.
      if (areHandlesAsked && askedByHandle(watches()).length === 0) await this.#noteRefreshed();
      await this.#lookup.findIds([...unknown, ...ignored], (missing) =>
        this.#reportMissing(missing),
      );
      for (const { handle } of ignored) this.#ignoredAtMs.set(handle, clock.monotonic());
      if (areHandlesAsked) waitMs = Math.min(waitMs ?? HANDLES_FRESH_MS, await this.#refresh());
    } catch (error) {
      if (this.#isStopped) return;
      waitMs = this.#waitAfter(error);
    }
    if (!this.#isStopped && waitMs !== undefined)
      this.#cancel = clock.after(waitMs, () => void this.#resolveAgain());
  }

  #waitAfter(error: unknown): number {
    const { storeMonitor, log, pacer, clock } = this.#deps;
    storeMonitor.recordError(error);
    log.warn("handles could not be resolved, trying again", { error: errorText(error) });
    if (isRefusal(error))
      return this.#backoff.recordRefusal({ key: "handles", intervalMs: 0 }, AFTER_REFUSAL_MS);
    return pacer.status(clock.monotonic()).kind === "stopped" ? AFTER_STOP_MS : AFTER_FAILURE_MS;
  }

  async #resolveAgain(): Promise<void> {
    const { watches, onFound } = this.#deps;
    const before = unknownHandles(watches()).length;
    await this.resolve();
    if (unknownHandles(watches()).length < before) onFound();
  }

  #isIgnoredDue(handle: string): boolean {
    return (
      this.#deps.clock.monotonic() - (this.#ignoredAtMs.get(handle) ?? Number.NEGATIVE_INFINITY) >=
      DAY_MS
    );
  }

  /**
   * Looks up the handles of accounts whose handle is not known, or of all accounts if that is due.
   * Resolves to the milliseconds until the next look-up of all.
   */
  async #refresh(): Promise<number> {
    const { clock, watches } = this.#deps;
    const accounts = askedByHandle(watches());
    this.#handlesAtMs ??= await this.#readNote();
    const isDue = passedMs(this.#handlesAtMs, clock.now()) >= HANDLES_FRESH_MS;
    const asked = isDue ? accounts : accounts.filter(({ target }) => target.username === null);
    if (asked.length > 0) await this.#lookup.findHandles(asked);
    if (isDue) await this.#noteRefreshed();
    return this.#handlesAtMs + HANDLES_FRESH_MS - clock.now();
  }

  async #readNote(): Promise<number> {
    const atMs = await this.#deps.notes.readNote(HANDLES_NOTE);
    return typeof atMs === "number" ? atMs : Number.NEGATIVE_INFINITY;
  }

  async #noteRefreshed(): Promise<void> {
    this.#handlesAtMs = this.#deps.clock.now();
    await this.#deps.notes.writeNote(HANDLES_NOTE, this.#handlesAtMs);
  }

  /**
   * Reports handles that no account has, if polls need them: the handles of targets, and those that
   * a watch names in addition to its targets. Handles of ignored authors are not reported.
   */
  async #reportMissing(missing: readonly UnknownHandle[]): Promise<void> {
    const { trouble, watches } = this.#deps;
    const unknown = missing.flatMap(({ watchId, target }) =>
      target === undefined ? [] : [this.#reported(watchId, [target])],
    );
    await trouble.reportMissing((await Promise.all(unknown)).flat(), UNKNOWN_HANDLE);
    for (const { watchId, watchKey, handle, target } of missing) {
      const planned = watches().find((one) => one.watchKey === watchKey);
      if (
        target !== undefined ||
        planned === undefined ||
        !namedHandles(planned.watch, planned.type).required.includes(handle)
      )
        continue;
      const reason = `no account has the handle @${handle}, which the watch asks about`;
      const targets = await this.#reported(watchId, planned.targets);
      await trouble.reportMissing(targets, { ...UNKNOWN_HANDLE, reason, isOfNamedAccount: true });
    }
  }

  /** Loads the stored states of these targets, for a report. */
  async #reported(
    watchId: string,
    targets: readonly TargetState[],
  ): Promise<readonly ReportedTarget[]> {
    const current = await this.#deps.store.loadTargets(
      targets.map(({ watchKey, key }) => ({ watchKey, targetKey: key })),
    );
    return current.map((target) => ({ watchId, target }));
  }
}

/**
 * Returns the handles without a known id that polls need: those of targets, and those of accounts
 * that watches name in addition to their targets.
 */
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

/** Returns the handles of ignored authors whose ids are not known. */
const ignoredHandles = (watches: readonly PlannedWatch[]): readonly UnknownHandle[] =>
  watches.flatMap(({ watch, type, watchKey, paused }) =>
    paused
      ? []
      : namedHandles(watch, type).optional.map((handle) => ({
          watchId: watch.id,
          watchKey,
          handle,
        })),
  );
