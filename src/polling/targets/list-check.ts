/**
 * Accounts that watches read through a public list: checks that the list holds them, when a watch begins and once a day, and has those
 * it does not hold read from their own timelines. Owns the question, one for all watches of a list, and its answer; the polls are others'.
 */
import { type Cancel, type Clock, passedMs } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { Notes } from "../../model/store.ts";
import type { TargetState } from "../../model/watch-store.ts";
import { isRefusal, type UpstreamAnswer } from "../../model/upstream.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import type { WatchType } from "../../watches/watch-type.ts";
import { type ListMembershipDeps, writeListMembership } from "../evaluate/list-membership.ts";
import type { Notices } from "../../model/notices.ts";
import { createPatience, REFUSALS_BEFORE_BELIEF } from "../../requests/patience.ts";
import type { RequestGate } from "../../requests/request-gate.ts";

export interface ListCheckDeps extends ListMembershipDeps {
  readonly gate: RequestGate;
  readonly notes: Notes;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
  readonly watches: () => readonly Planned[];
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
/** A list holds up to 5,000 accounts (docs/service.md section 1); pages may be short. */
const MOST_PAGES = 500;
const NAMED = 10;

type Planned = PlannedWatch<WatchType<any>>;

interface ListWatch {
  readonly planned: Planned;
  readonly listId: string;
  readonly checkedAtMs: number | null;
}

/** Whether a list was known to hold any of them. */
export const isThroughList = (targets: readonly TargetState[]): boolean => targets.some(({ memory }) => memory["list"] === "in");

const checkNote = ({ watchKey }: Planned): string => `list:${watchKey}:at`;

export function createListCheck(deps: ListCheckDeps): ListCheck {
  const { clock } = deps;
  const patience = createPatience(clock);
  let cancel: Cancel | undefined;
  let isStopped = false;
  let underWay: Promise<void> = Promise.resolve();

  const listWatches = (): readonly Omit<ListWatch, "checkedAtMs">[] =>
    deps.watches().flatMap((planned) => {
      const listId = planned.type.viaList?.(planned.watch.settings);
      return listId === undefined || planned.paused ? [] : [{ planned, listId }];
    });

  const sharersOf = (listId: string): Promise<readonly ListWatch[]> =>
    Promise.all(
      listWatches()
        .filter((one) => one.listId === listId)
        .map(async (one) => ({ ...one, checkedAtMs: (await deps.notes.readNote(checkNote(one.planned))) as number | null })),
    );

  const readPage = (listId: string, watch: string, cursor: string | undefined): Promise<UpstreamAnswer> =>
    deps.gate.request({
      endpoint: "list-members",
      params: { list_id: listId },
      source: `list:${listId}`,
      watch,
      priority: "normal",
      purpose: "poll",
      isWhole: true,
      ...(cursor === undefined ? {} : { cursor }),
    });

  /** Nobody, where the list itself is refused. A cursor that is refused has expired: from the top once more. */
  const readMembers = async (listId: string, watch: string, isSecondTry = false): Promise<ReadonlySet<string>> => {
    const members = new Set<string>();
    const cursors = new Set<string>();
    let cursor: string | undefined;
    try {
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const answer = await readPage(listId, watch, cursor);
        for (const { id } of answer.users ?? []) members.add(id);
        cursor = answer.nextCursor;
        // One that comes again leads in a circle.
        if (cursor === undefined || cursors.has(cursor)) break;
        cursors.add(cursor);
      }
      return members;
    } catch (error) {
      if (!isRefusal(error) || (cursor !== undefined && isSecondTry)) throw error;
      return cursor === undefined ? new Set() : readMembers(listId, watch, true);
    }
  };

  /** Writes what is new about the targets; who left the list since the last check is read back to it. */
  const settle = async (listWatch: ListWatch, members: ReadonlySet<string>): Promise<void> => {
    const { planned, listId } = listWatch;
    const { watch, watchKey } = planned;
    const refs = planned.targets.map(({ key }) => ({ watchKey, targetKey: key }));
    const targets = await deps.store.loadTargets(refs);
    const changed: TargetState[] = [];
    for (const target of targets) {
      const membership = target.userId !== null && members.has(target.userId) ? "in" : "out";
      const written = await writeListMembership(deps, listWatch, target, membership);
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
      type: "list.incomplete",
      subject: watchId,
      watch: watchId,
      severity: "warning",
      message: `${watchId}: the list ${listId} does not hold ${named}; read from their own timelines: up to a request a tick each, several share theirs`,
      hint: "Add them to the list: the check of the next day notices, and so does a reload.",
      facts: { list: listId, missing: missing.length },
    });
  };

  const isDue = ({ planned: { targets }, checkedAtMs }: ListWatch, isAsked: boolean): boolean => {
    // Whose handles were not looked up yet is checked once they are.
    if (targets.every(({ userId }) => userId === null)) return false;
    const isKnown = ({ userId, memory: { list } }: TargetState): boolean =>
      userId === null || list === "in" || (list === "out" && !isAsked);
    return untilNextMs(checkedAtMs) === 0 || !targets.every(isKnown);
  };

  const untilNextMs = (checkedAtMs: number | null): number =>
    checkedAtMs === null ? 0 : Math.max(0, CHECK_EVERY_MS - passedMs(checkedAtMs, clock.now()));

  const isDoubted = (listId: string): boolean => patience.refusals({ key: listId, intervalMs: 0 }) < REFUSALS_BEFORE_BELIEF;

  /** Milliseconds until it is time again. */
  const checkList = async (listId: string, isAsked: boolean): Promise<number> => {
    const sharers = await sharersOf(listId);
    const asking = sharers.find((one) => isDue(one, isAsked));
    if (asking === undefined) return Math.min(...sharers.map(({ checkedAtMs }) => untilNextMs(checkedAtMs) || CHECK_EVERY_MS));
    const startedAtMs = clock.now();
    const members = await readMembers(listId, asking.planned.watch.id);
    if (members.size === 0 && sharers.some(({ planned }) => isThroughList(planned.targets)) && isDoubted(listId)) {
      deps.log.warn("a list that held accounts holds nobody, asking again before that is believed", { list: listId });
      return patience.holdMs({ key: listId, intervalMs: 0 }, STEADY_MS);
    }
    for (const one of sharers) {
      await settle(one, members);
      await deps.notes.writeNote(checkNote(one.planned), startedAtMs);
    }
    return CHECK_EVERY_MS;
  };

  const run = async (isAsked: boolean): Promise<void> => {
    cancel?.();
    if (isStopped) return;
    let waitMs = CHECK_EVERY_MS;
    const listIds = new Set(listWatches().map(({ listId }) => listId));
    for (const listId of listIds) {
      try {
        waitMs = Math.min(waitMs, await checkList(listId, isAsked));
      } catch (error) {
        if (isStopped) return;
        deps.log.warn("list members could not be read, trying again", { list: listId, error });
        waitMs = Math.min(waitMs, patience.holdMs({ key: listId, intervalMs: 0 }, STEADY_MS));
      }
    }
    if (!isStopped && listIds.size > 0) cancel = clock.after(waitMs, () => void check());
  };

  const check = (isAsked = false): Promise<void> => {
    underWay = underWay.then(() => run(isAsked));
    return underWay;
  };

  return {
    check,
    async listLost(listId) {
      for (const one of await sharersOf(listId)) await settle(one, new Set());
    },
    async stop() {
      isStopped = true;
      cancel?.();
      await underWay;
    },
  };
}
