/**
 * What a refusal means for the targets of a poll: not indexed, gone for now, or a request that will never work. Owns the questions asked
 * to tell these apart, and the word to the operator; the poll loop does the waiting.
 */
import { BATCH_SIZE } from "../model/batch.ts";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { PollStore } from "../model/poll-store.ts";
import type { TargetRef, TargetState, TargetStatus, WatchStore } from "../model/watch-store.ts";
import type { JsonObject } from "../model/json.ts";
import { type UpstreamAnswer, UpstreamError } from "../model/upstream.ts";
import type { Poll, Subscriber } from "./watch-poll.ts";
import { loadSubscribers } from "./load-subscribers.ts";
import { isThroughList } from "./list-check.ts";
import type { Notice, Notices } from "./notices.ts";
import { createPatience, REFUSALS_BEFORE_BELIEF } from "./patience.ts";
import type { PollAftermath } from "./poll-loop.ts";
import { askRemaining } from "./remaining-requests.ts";
import type { Rename } from "./renames.ts";
import type { RequestGate } from "./request-gate.ts";
import { remember } from "./target-change.ts";

export interface TargetTroubleDeps {
  readonly gate: RequestGate;
  readonly store: Pick<WatchStore, "loadTargets" | "setTargetStatus"> & Pick<PollStore, "commitPoll">;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when a target that has no baseline cannot be read: nothing should wait for it. */
  readonly onMissing: (watchId: string) => void;
  /** A target's memory changed in a way that changes its source: plan again. */
  readonly onSourceChanged: (targets: readonly TargetState[]) => void;
  /** A list that accounts are read through cannot be read. */
  readonly onListLost: (listId: string) => Promise<void>;
}

export interface TargetTrouble {
  /** Deals with a 400, 403 or 404 of a poll. */
  take(poll: Poll, error: UpstreamError): Promise<PollAftermath>;
  /** Accounts that go by another handle now: followed by their id, and told; whoever has the old handle is not followed. */
  takeRenames(poll: Poll, renames: readonly Rename[]): Promise<void>;
  /** Entries that a batch was asked for and did not answer: accounts are looked for, the rest is said to be gone. */
  takeAbsent(poll: Poll, absent: readonly Subscriber[]): Promise<void>;
  /** Entries that a batch goes on without, because the service refuses it with them; by its words. */
  takeRefused(poll: Poll, refused: ReadonlyMap<string, readonly Subscriber[]>): Promise<void>;
  /** Accounts that the service does not know by their handle. */
  takeMissing(watchId: string, target: TargetState): Promise<void>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Of many targets that one refusal is about. */
const MOST_NAMED = 5;

export function createTargetTrouble(deps: TargetTroubleDeps): TargetTrouble {
  const { gate, store, clock, notices } = deps;
  const patience = createPatience(clock);

  /** Marks the targets and tells once a watch: a status that stays the same is not told again. */
  const mark = async (planned: Poll, status: TargetStatus, reason: string, hint: string): Promise<void> => {
    const { poll, targets } = await loadSubscribers(store, planned);
    const names = new Map<string, string[]>();
    for (const [index, target] of targets.entries()) {
      const subscriber = poll.subscribers[index];
      if (subscriber === undefined || target.status === status) continue;
      const { id } = subscriber.watch;
      await store.setTargetStatus(refOf(subscriber), status, reason);
      if (target.baselineAtMs === null) deps.onMissing(id);
      deps.log.warn("target cannot be read", { watch: id, target: target.name, status, reason });
      names.set(id, [...(names.get(id) ?? []), target.name]);
    }
    if (status !== "not_indexed") for (const [watch, own] of names) await tell(watch, own, reason, hint);
  };

  const tell = (watch: string, targets: readonly string[], reason: string, hint: string) =>
    notices.tell(noticeOf(watch, targets, reason, hint));

  const tellRename = ({ subscriber, target, from, to }: Rename, isTaken: boolean) => {
    const taken = isTaken ? `; @${from} belongs to another account now, which is not followed` : "";
    return notices.tell({
      type: "target.unavailable",
      subject: target.name,
      watch: subscriber.watch.id,
      severity: "info",
      message: `${subscriber.watch.id}: @${from} was renamed to @${to} and is followed by its id${taken}`,
      hint: `Nothing is missed. Write "id:${target.userId}" in the watch to be independent of its handle.`,
      facts: { target: target.name, handle: to, kind: "renamed" },
    });
  };

  /** Undefined: 404. */
  const answer = async (poll: Poll, endpoint: string, params: JsonObject): Promise<UpstreamAnswer | undefined> => {
    const watch = poll.subscribers[0]?.watch.id ?? "";
    try {
      return await gate.request({ endpoint, params, source: `ask:${poll.key}`, watch, priority: poll.priority, purpose: "poll" });
    } catch (error) {
      if (error instanceof UpstreamError && error.kind === "not_found") return undefined;
      throw error;
    }
  };

  /** What became of an account that cannot be read: two questions at most, asked only when it goes missing. */
  const fateOf = async (poll: Poll, userId: string): Promise<string> => {
    const named = await answer(poll, "id-to-username", { user_id: userId });
    if (named === undefined) return "the account is deleted or suspended";
    const profile = (await answer(poll, "info", { user_id: userId }))?.record;
    if (profile?.["protected"] === true) return "the account is protected now";
    return profile === undefined ? "the account exists but is protected or suspended" : "the account exists, but this of it cannot be read";
  };

  const takeNotFound = async (asked: Poll): Promise<PollAftermath> => {
    const listId = asked.source.params["list_id"];
    const isList = typeof listId === "string" && asked.subscribers.some(({ author }) => author !== undefined);
    if (isList && patience.refusals(asked) < REFUSALS_BEFORE_BELIEF && isThroughList((await loadSubscribers(store, asked)).targets))
      return { retryAtMs: clock.now() + patience.holdMs(asked, HOUR_MS) };
    if (isList) await deps.onListLost(listId);
    const planned = isList ? { ...asked, subscribers: asked.subscribers.filter(({ author }) => author === undefined) } : asked;
    if (planned.subscribers.length === 0) return { notBeforeMs: clock.now() + HOUR_MS };
    const { poll, targets } = await loadSubscribers(store, planned);
    const userId = targets[0]?.userId ?? null;
    if (userId === null) {
      await mark(poll, "unavailable", "the service does not know it (404)", CHECK_ID);
      return { notBeforeMs: clock.now() + patience.holdMs(planned, HOUR_MS) };
    }
    const wantsIndex = poll.subscribers.some(
      ({ type, watch }, index) => type.needsIndex?.(watch.settings, targets[index] ?? { memory: {} }) ?? false,
    );
    // An index that has shown the account is believed to have dropped it when it says so again.
    const wasShown = targets.some(({ baselineAtMs }) => baselineAtMs !== null);
    if (wantsIndex && wasShown && patience.refusals(planned) < REFUSALS_BEFORE_BELIEF)
      return { notBeforeMs: clock.now() + patience.holdMs(planned, HOUR_MS) };
    if (wantsIndex && (await answer(poll, "info", { user_id: userId })) !== undefined) return takeNotIndexed(poll, targets);
    const isKnown = targets.every(({ status }) => status === "unavailable");
    if (!isKnown)
      await mark(poll, "unavailable", await fateOf(poll, userId), "It is tried again once an hour and goes on by itself when it is back.");
    return { notBeforeMs: clock.now() + patience.holdMs(planned, HOUR_MS) };
  };

  const takeNotIndexed = async (poll: Poll, targets: readonly TargetState[]): Promise<PollAftermath> => {
    const changed: TargetState[] = [];
    for (const [index, subscriber] of poll.subscribers.entries()) {
      const target = targets[index];
      const patch = subscriber.type.withoutIndex?.(subscriber.watch.settings);
      if (target === undefined || patch === undefined) continue;
      const written = await remember(store, target, patch, clock.now());
      if (written !== undefined) changed.push(written);
    }
    if (changed.length > 0) {
      deps.log.info("account is not indexed, its whole list is read instead", { targets: changed.map(({ name }) => name) });
      deps.onSourceChanged(changed);
      return {};
    }
    await mark(poll, "not_indexed", "the service has not indexed this account", "");
    return { notBeforeMs: clock.now() + HOUR_MS };
  };

  const take = async (poll: Poll, error: UpstreamError): Promise<PollAftermath> => {
    if (error.kind === "bad_request") {
      await mark(poll, "misconfigured", refusalOf(error.message), CORRECT);
      return { notBeforeMs: clock.now() + patience.holdMs(poll, DAY_MS) };
    }
    if (error.kind === "forbidden" && !(await gateIsOpen())) return { notBeforeMs: clock.now() + patience.holdMs(poll, HOUR_MS) };
    return takeNotFound(poll);
  };

  /** A 403 that names no cause: free to ask whether it is about the key. */
  const gateIsOpen = (): Promise<boolean> =>
    askRemaining(gate).then(
      () => true,
      () => false,
    );

  /** By why they are missing. Asked for by id, so it is the account itself: one question an account, and only when it goes missing. */
  const takeAbsent = async (planned: Poll, absent: readonly Subscriber[]): Promise<void> => {
    const { poll, targets } = await loadSubscribers(store, { ...planned, subscribers: absent });
    const fates = new Map<string, string>();
    const missing = new Map<string, Subscriber[]>();
    try {
      for (const [index, subscriber] of poll.subscribers.entries()) {
        const target = targets[index];
        if (target === undefined || target.status === "unavailable") continue;
        const { userId } = target;
        const reason = userId === null ? UNKNOWN : (fates.get(userId) ?? (await fateOf({ ...poll, subscribers: [subscriber] }, userId)));
        if (userId !== null) fates.set(userId, reason);
        missing.set(reason, [...(missing.get(reason) ?? []), subscriber]);
      }
    } finally {
      for (const [reason, subscribers] of missing)
        await mark({ ...poll, subscribers }, "unavailable", reason, reason === UNKNOWN ? CHECK_ID : AGAIN_WITH_THE_REST);
    }
  };

  return {
    take,
    async takeRenames(poll, renames) {
      const handles = [...new Set(renames.flatMap(({ from }) => (from === null ? [] : [from.toLowerCase()])))];
      const holders = (await answer(poll, "info-batch", { usernames: handles.slice(0, BATCH_SIZE) }))?.users ?? [];
      for (const rename of renames) {
        const holder = holders.find(({ username }) => username.toLowerCase() === rename.from?.toLowerCase());
        await tellRename(rename, holder !== undefined && holder.id !== rename.target.userId);
      }
    },
    takeAbsent,
    async takeRefused(poll, refused) {
      for (const [words, subscribers] of refused) await mark({ ...poll, subscribers }, "misconfigured", refusalOf(words), CORRECT);
    },
    async takeMissing(watchId, target) {
      const ref = { watchKey: target.watchKey, targetKey: target.key };
      const [known] = await store.loadTargets([ref]);
      if (known?.status === "unavailable") return;
      const reason = "no account has this handle";
      await store.setTargetStatus(ref, "unavailable", reason);
      await tell(watchId, [target.name], reason, "Check the spelling, or write the account's id.");
    },
  };
}

const CORRECT = "Correct the watch; a reload takes it over.";
const UNKNOWN = "the service does not know it";
const CHECK_ID = "Check the id or link in the watch.";
const AGAIN_WITH_THE_REST = "It is asked for with every poll and goes on by itself when it is back.";

const refusalOf = (words: string): string => `the service refuses the request: ${words}`;

const refOf = ({ watchKey, targetKey }: Subscriber): TargetRef => ({ watchKey, targetKey });

export function unreadableText(watch: string, targets: readonly string[], reason: string): string {
  const rest = targets.length - MOST_NAMED;
  const named = targets.slice(0, MOST_NAMED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  return `${watch}: ${named} cannot be read: ${reason}`;
}

/** One word about all targets of a watch that the same refusal is about. */
function noticeOf(watch: string, targets: readonly string[], reason: string, hint: string): Notice {
  const [target = "", ...others] = targets;
  return {
    type: "target.unavailable",
    subject: others.length === 0 ? target : watch,
    watch,
    severity: "warning",
    message: unreadableText(watch, targets, reason),
    hint,
    facts: others.length === 0 ? { target } : { targets: targets.length },
  };
}
