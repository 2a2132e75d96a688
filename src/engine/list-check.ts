/**
 * Accounts that a watch reads through a public list: checks that the list holds them, when the watch begins and once a day, and has those
 * it does not hold read from their own timelines. Owns the question and its answer; the polls are others'.
 */
import { type Cancel, type Clock, passedMs } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { PollStore } from "../model/poll-store.ts";
import type { Notes } from "../model/store.ts";
import type { TargetState, WatchStore } from "../model/watch-store.ts";
import { isRefusal, type UpstreamAnswer } from "../model/upstream.ts";
import type { PlannedWatch } from "../plan/plan-polls.ts";
import type { WatchType } from "../watches/watch-type.ts";
import type { Notices } from "./notices.ts";
import { createPatience } from "./patience.ts";
import type { RequestGate } from "./request-gate.ts";
import { remember } from "./target-change.ts";

export interface ListCheckDeps {
  readonly gate: RequestGate;
  readonly store: Pick<PollStore, "commitPoll"> & Pick<WatchStore, "loadTargets">;
  readonly notes: Notes;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
  readonly watches: () => readonly PlannedWatch<WatchType<any>>[];
  /** Targets are read another way from now on: plan again. */
  readonly onSourceChanged: (targets: readonly TargetState[]) => void;
}

export interface ListCheck {
  /** Checks what is due now; with `isAsked` lists that lack somebody, too: someone may have added them. Never rejects. */
  check(isAsked?: boolean): Promise<void>;
  /** The service does not give the list: everyone is read from their own timeline until it does. */
  listLost(listId: string): Promise<void>;
  /** Resolves when a check under way is done. */
  stop(): Promise<void>;
}

const CHECK_EVERY_MS = 86_400_000;
/** After failures, once there were many in a row. */
const STEADY_MS = 3_600_000;
/** A list holds up to 5,000 accounts (api-field-notes.md section 1); pages may be short. */
const MOST_PAGES = 500;
const NAMED = 10;
const MOST_TRIES = 5;

/** What a check found of a target, kept in its memory under `list`. */
export type ListMembership = "in" | "out";

interface ListWatch {
  readonly planned: PlannedWatch<WatchType<any>>;
  readonly listId: string;
}

export function createListCheck(deps: ListCheckDeps): ListCheck {
  const { clock } = deps;
  const patience = createPatience(clock);
  let cancel: Cancel | undefined;
  let isStopped = false;
  let underWay: Promise<void> = Promise.resolve();

  const listWatches = (): readonly ListWatch[] =>
    deps.watches().flatMap((planned) => {
      const listId = planned.type.viaList?.(planned.watch.settings);
      return listId === undefined || planned.paused ? [] : [{ planned, listId }];
    });

  const readPage = (listId: string, watch: string, cursor: string | undefined): Promise<UpstreamAnswer> =>
    deps.gate.request({
      endpoint: "list-members",
      params: { list_id: listId },
      source: `list:${listId}`,
      watch,
      priority: "normal",
      purpose: "poll",
      ...(cursor === undefined ? {} : { cursor }),
    });

  /** Nobody, where the list itself is refused. A cursor that is refused has expired: from the top once more. */
  const readMembers = async (listId: string, watch: string, isSecondTry = false): Promise<ReadonlySet<string>> => {
    const members = new Set<string>();
    let cursor: string | undefined;
    try {
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const answer = await readPage(listId, watch, cursor);
        for (const { id } of answer.users ?? []) members.add(id);
        cursor = answer.nextCursor;
        if (cursor === undefined) break;
      }
      return members;
    } catch (error) {
      if (!isRefusal(error) || (cursor !== undefined && isSecondTry)) throw error;
      return cursor === undefined ? new Set() : readMembers(listId, watch, true);
    }
  };

  /** Undefined where it was known. A poll may have been committed at the same moment. */
  const write = async (found: TargetState, membership: ListMembership, checkedAtMs: number | null): Promise<TargetState | undefined> => {
    let target: TargetState | undefined = found;
    for (let tries = 0; tries < MOST_TRIES && target !== undefined; tries += 1) {
      if (target.userId === null || target.memory["list"] === membership) return undefined;
      const resume = membership === "out" && checkedAtMs !== null && target.baselineAtMs !== null ? { resume_ms: checkedAtMs } : {};
      const written = await remember(deps.store, target, { list: membership, ...resume }, clock.now());
      if (written !== undefined) return written;
      [target] = await deps.store.loadTargets([{ watchKey: target.watchKey, targetKey: target.key }]);
    }
    return undefined;
  };

  /** Writes what is new about the targets; who left the list since the last check is read back to it. */
  const settle = async ({ planned, listId }: ListWatch, members: ReadonlySet<string>, checkedAtMs: number | null): Promise<void> => {
    const { watch, watchKey } = planned;
    const refs = planned.targets.map(({ key }) => ({ watchKey, targetKey: key }));
    const targets = await deps.store.loadTargets(refs);
    const changed: TargetState[] = [];
    for (const target of targets) {
      const written = await write(target, target.userId !== null && members.has(target.userId) ? "in" : "out", checkedAtMs);
      if (written !== undefined) changed.push(written);
    }
    if (changed.length > 0) deps.onSourceChanged(changed);
    const missing = targets.filter(({ userId }) => userId !== null && !members.has(userId)).map(({ name }) => name);
    await tell(watch.id, watchKey, listId, missing);
  };

  const tell = async (watchId: string, watchKey: string, listId: string, missing: readonly string[]): Promise<void> => {
    const note = `list:${watchKey}`;
    const found = missing.toSorted().join(" ");
    if (((await deps.notes.readNote(note)) ?? "") === found) return;
    await deps.notes.writeNote(note, found);
    if (missing.length === 0) return;
    const named = missing.slice(0, NAMED).join(", ") + (missing.length > NAMED ? ` and ${missing.length - NAMED} more` : "");
    await deps.notices.tell({
      type: "target.unavailable",
      subject: watchId,
      watch: watchId,
      severity: "warning",
      message: `${watchId}: the list ${listId} does not hold ${named}; read from their own timelines: up to a request a tick each, several share theirs`,
      hint: "Add them to the list: the check of the next day notices, and so does a reload.",
      facts: { list: listId, missing: missing.length, kind: "not on the list" },
    });
  };

  const checkOne = async (one: ListWatch, isAsked: boolean): Promise<void> => {
    const { listId, planned } = one;
    const note = `list:${planned.watchKey}:at`;
    const checkedAtMs = (await deps.notes.readNote(note)) as number | null;
    const isFresh = checkedAtMs !== null && passedMs(checkedAtMs, clock.now()) < CHECK_EVERY_MS;
    const isKnown = ({ userId, memory: { list } }: TargetState): boolean =>
      userId === null || list === "in" || (list === "out" && !isAsked);
    if (isFresh && planned.targets.every(isKnown)) return;
    const startedAtMs = clock.now();
    await settle(one, await readMembers(listId, planned.watch.id), checkedAtMs);
    await deps.notes.writeNote(note, startedAtMs);
  };

  const run = async (isAsked: boolean): Promise<void> => {
    cancel?.();
    if (isStopped) return;
    let waitMs = CHECK_EVERY_MS;
    for (const one of listWatches()) {
      try {
        await checkOne(one, isAsked);
      } catch (error) {
        if (isStopped) return;
        deps.log.warn("list members could not be read, trying again", { watch: one.planned.watch.id, error });
        waitMs = Math.min(waitMs, patience.holdMs({ key: one.listId, intervalMs: 0 }, STEADY_MS));
      }
    }
    if (!isStopped && listWatches().length > 0) cancel = clock.after(waitMs, () => void check());
  };

  const check = (isAsked = false): Promise<void> => {
    underWay = underWay.then(() => run(isAsked));
    return underWay;
  };

  return {
    check,
    async listLost(listId) {
      for (const one of listWatches().filter((other) => other.listId === listId)) {
        const checkedAtMs = (await deps.notes.readNote(`list:${one.planned.watchKey}:at`)) as number | null;
        await settle(one, new Set(), checkedAtMs);
      }
    },
    async stop() {
      isStopped = true;
      cancel?.();
      await underWay;
    },
  };
}
