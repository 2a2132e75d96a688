/**
 * Checks which accounts a public list contains, for watches that read their accounts through the
 * list: when a watch begins and once a day. Accounts that are not on the list are read from their
 * own timelines. One check of a list serves all watches that use it. The polls of the list are made
 * elsewhere.
 */
import { type Cancel, passedMs } from "../../model/clock.ts";
import { readFeedMemory } from "../../detect/feed-memory.ts";
import { horizonMs } from "../../detect/feed-poll.ts";
import type { JsonObject } from "../../model/json.ts";
import type { PollStore } from "../../model/poll-store.ts";
import { fingerprintOf } from "../../model/source.ts";
import type { TargetState, WatchStore } from "../../model/watch-store.ts";
import { resumedFromMs } from "../evaluate/evaluate-feed.ts";
import { remember } from "../evaluate/target-change.ts";
import { isRefusal } from "../../model/upstream.ts";
import type { Ports } from "../../model/ports.ts";
import {
  createRefusalBackoff,
  type RefusalBackoff,
  REFUSALS_BEFORE_BELIEF,
} from "../../requests/refusal-backoff.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import type { Planned } from "../watch-poll.ts";
import { walkPages } from "../read/walk-pages.ts";

export interface ListCheckDeps
  extends Pick<Ports, "notes" | "opsAlerts" | "clock" | "hash" | "log"> {
  readonly store: Pick<PollStore, "commitPoll" | "loadSources"> & Pick<WatchStore, "loadTargets">;
  readonly gate: RequestGate;
  readonly watches: () => readonly Planned[];
  /**
   * Called with targets that moved from the list to their own timelines or back, so that their
   * polls are planned again.
   */
  readonly onSourceChanged: (targets: readonly TargetState[]) => void;
}

const CHECK_EVERY_MS = 86_400_000;
/**
 * The maximum wait before a list that could not be read is checked again. The first waits are
 * shorter.
 */
const STEADY_MS = 3_600_000;
const NAMED = 10;

/** Whether the list contained the target when it was last checked. */
type ListMembership = "in" | "out";

interface ListWatch {
  readonly planned: Planned;
  readonly listId: string;
  /** When the list was last checked for this watch. */
  readonly checkedAtMs: number | null;
}

/** Whether the list contained any of these targets when it was last checked. */
export const isThroughList = (targets: readonly TargetState[]): boolean =>
  targets.some(({ memory }) => memory["list"] === "in");

const checkNote = ({ watchKey }: Planned): string => `list:${watchKey}:at`;

export class ListCheck {
  readonly #deps: ListCheckDeps;
  readonly #backoff: RefusalBackoff;
  #cancel: Cancel | undefined;
  #isStopped = false;
  #underWay: Promise<void> = Promise.resolve();

  constructor(deps: ListCheckDeps) {
    this.#deps = deps;
    this.#backoff = createRefusalBackoff(deps.clock);
  }

  /**
   * Checks the lists that are due. With `isAsked`, lists on which an account was missing are
   * checked as well, because somebody may have added it since. Never rejects.
   */
  check(isAsked = false): Promise<void> {
    this.#underWay = this.#underWay.then(() => this.#run(isAsked));
    return this.#underWay;
  }

  /**
   * Makes every account of a list be read from its own timeline until a check finds it on the list
   * again. Called when the service refuses to show the list.
   */
  async listLost(listId: string): Promise<void> {
    for (const one of await this.#subscribersOf(listId)) await this.#apply(one, new Set());
  }

  /** Resolves when a running check has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#underWay;
  }

  async #run(isAsked: boolean): Promise<void> {
    this.#cancel?.();
    if (this.#isStopped) return;
    let waitMs = CHECK_EVERY_MS;
    const listIds = new Set(listWatches(this.#deps.watches()).map(({ listId }) => listId));
    for (const listId of listIds) {
      try {
        waitMs = Math.min(waitMs, await this.#checkList(listId, isAsked));
      } catch (error) {
        if (this.#isStopped) return;
        this.#deps.log.warn("list members could not be read, trying again", {
          list: listId,
          error,
        });
        waitMs = Math.min(
          waitMs,
          this.#backoff.recordRefusal({ key: listId, intervalMs: 0 }, STEADY_MS),
        );
      }
    }
    if (!this.#isStopped && listIds.size > 0)
      this.#cancel = this.#deps.clock.after(waitMs, () => void this.check());
  }

  /** Checks a list and resolves to the milliseconds until the next check. */
  async #checkList(listId: string, isAsked: boolean): Promise<number> {
    const { clock, gate, log, notes } = this.#deps;
    const subscribers = await this.#subscribersOf(listId);
    const asking = subscribers.find((one) => isDue(one, isAsked, clock.now()));
    if (asking === undefined)
      return Math.min(
        ...subscribers.map(
          ({ checkedAtMs }) => untilNextMs(checkedAtMs, clock.now()) || CHECK_EVERY_MS,
        ),
      );
    const startedAtMs = clock.now();
    const members = await readListMembers(gate, listId, asking.planned.watch.id);
    if (
      members.size === 0 &&
      subscribers.some(({ planned }) => isThroughList(planned.targets)) &&
      this.#isDoubted(listId)
    ) {
      log.warn("a list that had members is empty, asking again to confirm it", {
        list: listId,
      });
      return this.#backoff.recordRefusal({ key: listId, intervalMs: 0 }, STEADY_MS);
    }
    for (const one of subscribers) {
      await this.#apply(one, members);
      await notes.writeNote(checkNote(one.planned), startedAtMs);
    }
    return CHECK_EVERY_MS;
  }

  #subscribersOf(listId: string): Promise<readonly ListWatch[]> {
    const { notes, watches } = this.#deps;
    return Promise.all(
      listWatches(watches())
        .filter((one) => one.listId === listId)
        .map(async (one) => ({
          ...one,
          checkedAtMs: (await notes.readNote(checkNote(one.planned))) as number | null,
        })),
    );
  }

  #isDoubted(listId: string): boolean {
    return this.#backoff.refusalsInRow({ key: listId, intervalMs: 0 }) < REFUSALS_BEFORE_BELIEF;
  }

  /**
   * Stores which targets are on the list. If an account has left the list since the last check, its
   * own timeline is read back to that check.
   */
  async #apply(listWatch: ListWatch, members: ReadonlySet<string>): Promise<void> {
    const { watchKey, targets: planned } = listWatch.planned;
    const refs = planned.map(({ key }) => ({ watchKey, targetKey: key }));
    const targets = await this.#deps.store.loadTargets(refs);
    const changed: TargetState[] = [];
    for (const target of targets) {
      const membership = target.userId !== null && members.has(target.userId) ? "in" : "out";
      const written = await writeMembership(this.#deps, listWatch, target, membership);
      if (written !== undefined) changed.push(written);
    }
    if (changed.length > 0) this.#deps.onSourceChanged(changed);
    const missing = targets
      .filter(({ userId }) => userId !== null && !members.has(userId))
      .map(({ name }) => name);
    await this.#notify(listWatch, missing);
  }

  /**
   * Alerts the operator about accounts that are missing on the list, and only again when other
   * accounts are.
   */
  async #notify(
    { planned: { watch, watchKey }, listId }: ListWatch,
    missing: readonly string[],
  ): Promise<void> {
    const { opsAlerts } = this.#deps;
    const key = `list.incomplete:${watchKey}`;
    if (missing.length === 0) return opsAlerts.clear(key);
    const named =
      missing.slice(0, NAMED).join(", ") +
      (missing.length > NAMED ? ` and ${missing.length - NAMED} more` : "");
    await opsAlerts.raise({
      once: { key, about: missing.toSorted().join(" ") },
      type: "list.incomplete",
      subject: watch.id,
      watch: watch.id,
      severity: "warning",
      message: `${watch.id}: the list ${listId} does not contain ${named}; they are read from their own timelines, which costs up to one request per tick and account`,
      hint: "Add them to the list: the daily check or a reload notices it.",
      facts: { list: listId, missing: missing.length },
    });
  }
}

/**
 * The maximum number of pages that are read of a list. A list contains up to 5,000 accounts
 * (docs/service.md section 1), and pages may be short.
 */
const MAX_PAGES = 500;

/**
 * Returns the ids of all members; an empty set if the service refuses to show the list. A refused
 * cursor has expired, so the list is then read once more from its first page.
 */
async function readListMembers(
  gate: RequestGate,
  listId: string,
  watch: string,
  isSecondTry = false,
): Promise<ReadonlySet<string>> {
  const source = {
    endpoint: "list-members",
    params: { list_id: listId },
    source: `list:${listId}`,
    isWhole: true,
  } as const;
  const asked = { ...source, watch, priority: "normal", purpose: "poll" } as const;
  const ask = (cursor: string | undefined) => gate.request({ ...asked, cursor });
  const { users, pages, end, error } = await walkPages(ask, { maxPages: MAX_PAGES });
  if (end !== "cut" || pages === MAX_PAGES) return new Set(users.map(({ id }) => id));
  if (!isRefusal(error) || (pages > 0 && isSecondTry)) throw error;
  return pages === 0 ? new Set() : readListMembers(gate, listId, watch, true);
}

const listWatches = (watches: readonly Planned[]): readonly Omit<ListWatch, "checkedAtMs">[] =>
  watches.flatMap((planned) => {
    const listId = planned.type.viaList?.(planned.watch.settings);
    return listId === undefined || planned.paused ? [] : [{ planned, listId }];
  });

function isDue(
  { planned: { targets }, checkedAtMs }: ListWatch,
  isAsked: boolean,
  nowMs: number,
): boolean {
  // Only accounts with an id can be found on a list. Accounts without one are checked after their
  // handles were looked up.
  if (targets.every(({ userId }) => userId === null)) return false;
  const isKnown = ({ userId, memory: { list } }: TargetState): boolean =>
    userId === null || list === "in" || (list === "out" && !isAsked);
  return untilNextMs(checkedAtMs, nowMs) === 0 || !targets.every(isKnown);
}

const untilNextMs = (checkedAtMs: number | null, nowMs: number): number =>
  checkedAtMs === null ? 0 : Math.max(0, CHECK_EVERY_MS - passedMs(checkedAtMs, nowMs));

const MAX_TRIES = 5;

/**
 * Stores in the memory of a target, under `list`, whether the list contains it. Tries again if a
 * poll changes the target at the same moment. Resolves to undefined if nothing was stored, as when
 * it was known already.
 */
async function writeMembership(
  deps: ListCheckDeps,
  watch: ListWatch,
  found: TargetState,
  list: ListMembership,
): Promise<TargetState | undefined> {
  let target: TargetState | undefined = found;
  for (let tries = 0; tries < MAX_TRIES && target !== undefined; tries += 1) {
    if (target.userId === null || target.memory["list"] === list) return undefined;
    const resume =
      list === "in" ? await sinceOwnRead(deps, watch, target) : sinceCheck(watch, target);
    const written = await remember(deps.store, target, { list, ...resume }, deps.clock.now());
    if (written !== undefined) return written;
    [target] = await deps.store.loadTargets([{ watchKey: target.watchKey, targetKey: target.key }]);
  }
  return undefined;
}

const sinceCheck = ({ checkedAtMs }: ListWatch, { baselineAtMs }: TargetState): JsonObject =>
  checkedAtMs === null || baselineAtMs === null ? {} : { resume_ms: checkedAtMs };

/**
 * Returns `resume_ms`, the time from which the list must be read for a target that is on it now:
 * when the target's own timeline was last read without a gap, or the maximum age of alerts if that
 * is later. Reads of the list since then do not count, because nobody had checked whether the list
 * showed the account.
 */
async function sinceOwnRead(
  { store, hash, clock }: ListCheckDeps,
  { planned }: ListWatch,
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
