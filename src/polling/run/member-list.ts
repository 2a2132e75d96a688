/**
 * Polls a member list step by step: decides what its subscribers need, with which purpose and
 * priority pages are requested, and how long the list is, and evaluates each step. Each step is
 * committed by itself, so that new members do not wait for what is read in the background.
 * read-member-list.ts decides the order of steps and pages.
 */
import type { RosterRule } from "../../detect/roster.ts";
import type { ItemMark, PollStore, SourceState } from "../../model/poll-store.ts";
import type { Ports } from "../../model/ports.ts";
import { UpstreamError } from "../../model/upstream.ts";
import { userIdOf } from "../../plan/poll.ts";
import { lengthField, memberCountOf, wholeReadEveryMs } from "../../plan/polls/whole-reads.ts";
import type { Profiles } from "../../requests/profiles.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import { RequestHeld } from "../../requests/request-held.ts";
import { type Ask, askBehind, askFor } from "../ask.ts";
import { evaluateMemberList, type MissedMembers } from "../evaluate/evaluate-member-list.ts";
import { type Reader, targetsOfReaders } from "../evaluate/load-subscribers.ts";
import type { SubscriberEvaluation } from "../evaluate/verdicts.ts";
import { isFirstRead } from "../read/baselines.ts";
import type { FirstReadPages } from "../read/first-read-pages.ts";
import { type ListSubscriber, listSubscriberOf } from "../read/list-subscribers.ts";
import { EMPTY_MEMBER_LIST, type MemberListMemory } from "../read/member-list-memory.ts";
import {
  type MemberListNeeds,
  type MemberListObservation,
  type MemberListStep,
  nextStep,
  type ReadOptions,
  readStep,
} from "../read/read-member-list.ts";
import type { Poll } from "../watch-poll.ts";
import type { ListOutcome, PollOutcome } from "./poll-outcome.ts";
import type { Evaluate, KnownStore, PollState, Seen } from "./seen.ts";

export interface ListPollDeps extends Pick<Ports, "clock" | "log"> {
  readonly store: Pick<PollStore, "itemMarks">;
  readonly gate: RequestGate;
  readonly profiles: Profiles;
  readonly firstReads: Pick<FirstReadPages, "count">;
}

/** Commits what `see` has read. If `see` resolves to undefined, nothing is committed. */
type CommitStep = (
  poll: Poll,
  see: (state: PollState) => Promise<Seen | undefined>,
) => Promise<PollOutcome>;

/** Polls the list. @throws the error of its first step */
export async function pollList(
  deps: ListPollDeps,
  poll: Poll,
  commitStep: CommitStep,
): Promise<PollOutcome> {
  const listPoll = new ListPoll(deps);
  let outcome: PollOutcome | undefined;
  for (;;) {
    const steps = listPoll.done.size;
    try {
      const next = await commitStep(poll, (state) => listPoll.readStep(state));
      outcome = outcome === undefined ? next : joinSteps(outcome, next);
    } catch (error) {
      if (outcome === undefined) throw error;
      return { ...outcome, error };
    }
    if (listPoll.done.size === steps || outcome.error !== undefined) return outcome;
  }
}

class ListPoll {
  readonly done = new Set<MemberListStep>();
  readonly #deps: ListPollDeps;
  readonly #startedAtMs: number;
  /** Whether a subscriber had no baseline when the poll began; undefined before the first step. */
  #isFirst: boolean | undefined;
  /**
   * How many pages this poll has already spent on the read of the whole list. The step `rest` may
   * use only what remains of `max_pages`.
   */
  #scanPages = 0;

  constructor(deps: ListPollDeps) {
    this.#deps = deps;
    this.#startedAtMs = deps.clock.now();
  }

  /**
   * Reads the next step. Resolves to undefined if the poll is done. @throws the error of its first
   * request
   */
  async readStep(state: PollState): Promise<Seen | undefined> {
    const { poll, readers, source } = state;
    const memory = memoryOf(source);
    const needs = this.#needs(state);
    const step = nextStep(memory, needs, this.done);
    const maxPages = step === "rest" ? poll.maxPages - this.#scanPages : poll.maxPages;
    if (step === undefined || maxPages <= 0) return undefined;
    const isFirst = (this.#isFirst ??= isFirstRead(poll, targetsOfReaders(readers)));
    this.done.add(step);
    const list = await this.#read(step, poll, { maxPages, memory, needs }, isFirst);
    if (list === undefined) return undefined;
    this.#scanPages += list.scanPages;
    if (list.completedScanAtMs !== undefined) this.done.add("rest");
    const size = isFirst && list.memory.scan !== undefined ? await this.#sizeOf(state) : undefined;
    return seenList(state, list, isOpenAfter(list, needs, isFirst), size);
  }

  /** Reads one step. Resolves to undefined if the step can wait and could not be read now. */
  async #read(
    step: MemberListStep,
    poll: Poll,
    reading: Omit<ReadOptions, "ask">,
    isFirst: boolean,
  ): Promise<MemberListObservation | undefined> {
    const { gate, log, firstReads } = this.#deps;
    const readBy = (ask: Ask) =>
      readStep(step, { ...reading, ask: (cursor) => ask(poll.source.params, cursor) });
    if (isFirst) return readBy(firstReads.count(poll, askFor(gate, poll, "baseline")));
    if (step !== "rest" || !isBehind(reading.needs)) return readBy(askFor(gate, poll, "poll"));
    const later = (error: unknown) => {
      const isHeld = error instanceof RequestHeld;
      log[isHeld ? "debug" : "warn"]("the rest of a member list waits", {
        watch: poll.subscribers[0]?.watch.id,
        error,
      });
    };
    try {
      const { error, ...list } = await readBy(askBehind(gate, poll));
      if (error !== undefined) later(error);
      return list;
    } catch (error) {
      if (!(error instanceof RequestHeld || error instanceof UpstreamError)) throw error;
      later(error);
      return undefined;
    }
  }

  #needs(state: PollState): MemberListNeeds {
    const { poll } = state;
    const readers = listReaders(state);
    const subscribers = readers.map(({ wants }) => wants);
    return {
      modes: new Set(subscribers.map(({ mode }) => mode)),
      subscribers,
      needsScan: readers.some(
        ({ wants, subscriber }) =>
          waitsForAll(wants) && subscriber.watch.fullReadEveryMs !== Number.POSITIVE_INFINITY,
      ),
      wholeEveryMs: wholeReadEveryMs(
        poll.subscribers,
        Math.max(0, ...readers.map(({ target }) => memberCountOf(target.memory) ?? 0)),
      ),
      overlapMs: poll.overlapMs,
      nowMs: this.#startedAtMs,
      known: (ids) => this.#deps.store.itemMarks(poll.subscribers, ids),
    };
  }

  /**
   * Returns the list's length from the profile, which is cached for a day: at most one request, in
   * the first read of a list that is longer than a poll reads.
   */
  async #sizeOf({ poll, readers }: PollState): Promise<number | undefined> {
    const field = lengthField(poll.source.endpoint);
    const userId = userIdOf(poll);
    const isKnown = () => readers.every(({ target }) => typeof target.memory["size"] === "number");
    if (field === undefined || userId === "" || isKnown()) return undefined;
    const profile = await this.#deps.profiles.profileOf(
      userId,
      poll.subscribers[0]?.watch.id ?? "",
    );
    return profile?.[field];
  }
}

const memoryOf = ({ memory }: SourceState): MemberListMemory => ({
  ...EMPTY_MEMBER_LIST,
  ...(memory as Partial<MemberListMemory>),
});

interface ListReader extends Reader {
  readonly rule: RosterRule;
  readonly wants: ListSubscriber;
}

function listReaders({ poll, readers, source }: PollState): readonly ListReader[] {
  return readers.map(({ subscriber, target }) => {
    const { detection } = subscriber.type;
    if (detection.detector !== "roster") throw new Error(`poll ${poll.key} is no member list`);
    const rule = detection.rule(subscriber.watch.settings, target);
    return {
      subscriber,
      target,
      rule,
      wants: listSubscriberOf(rule, target, memoryOf(source), poll.source.endpoint),
    };
  });
}

/**
 * Whether the subscriber waits for a read of the whole list, because its baseline is missing or
 * partial.
 */
const waitsForAll = ({ part, isBaselined, partial }: ListSubscriber): boolean =>
  !isBaselined || part === "draws" || partial !== undefined;

/**
 * Whether the read of the whole list may run in the background, because it only finds members that
 * are not new.
 */
const isBehind = ({ subscribers }: MemberListNeeds): boolean =>
  subscribers.every(({ part }) => part === "follows");

/**
 * Whether something that a subscriber waits for continues with the next poll: a read of the whole
 * list, or new members that a walk left unread.
 */
function isOpenAfter(
  { memory, members, completedScanAtMs }: MemberListObservation,
  { subscribers }: MemberListNeeds,
  isFirst: boolean,
): boolean {
  if (memory.gaps !== undefined) return true;
  const isWaitedFor = subscribers.some(({ part }) => part === "whole");
  if (isWaitedFor) return memory.scan !== undefined || (isFirst && completedScanAtMs === undefined);
  return (
    members.length === 0 &&
    completedScanAtMs === undefined &&
    subscribers.some(({ part }) => part === "draws")
  );
}

/**
 * Returns what a step read. `size` is the list's length according to the profile, if that was
 * requested.
 */
function seenList(
  state: PollState,
  list: MemberListObservation,
  isOpen: boolean,
  size: number | undefined,
): Seen {
  return {
    memory: list.memory,
    error: list.error,
    // If leaving is reported, the list is never known completely: another complete read must
    // confirm who left.
    isWhole: !isOpen && listReaders(state).every(({ rule }) => rule.left === undefined),
    tweets: [],
    users: new Map(),
    isAboutAccount: true,
    async evaluator(loaded, store, context): Promise<Evaluate> {
      const readers = listReaders(loaded);
      const known = await knownMembersOf(store, readers, list);
      const missed = await missedMembersOf(store, readers, list, memoryOf(loaded.source).fullAtMs);
      const about = {
        ...context,
        list: loaded.poll.source.endpoint,
        size,
      };
      return ({ subscriber, target }, index, { profile }) => {
        const reader = readers[index];
        if (reader === undefined) throw new Error("a reader of a list is missing");
        const own = {
          rule: reader.rule,
          subscription: reader.wants,
          known: known[index] ?? new Map(),
          missed: missed[index],
        };
        return evaluateMemberList(subscriber, target, list, { ...about, ...own, profile });
      };
    },
    outcome: (_, evaluations) => ({ list: listOutcomeOf(list, isOpen, evaluations) }),
  };
}

/**
 * Returns what the state has on these members, for each reader. If leaving is reported, the stored
 * members count and not the verdicts, because an account can leave and join again.
 */
async function knownMembersOf(
  store: KnownStore,
  readers: readonly ListReader[],
  seen: MemberListObservation,
): Promise<readonly (ReadonlyMap<string, ItemMark> | undefined)[]> {
  const ids = seen.members.map(({ id }) => id);
  if (ids.length === 0) return [];
  const subscribers = readers.map(({ subscriber }) => subscriber);
  const items = readers.some(({ rule }) => rule.left === undefined)
    ? await store.itemMarks(subscribers, ids)
    : [];
  const members = readers.some(({ rule }) => rule.left !== undefined)
    ? await store.knownMembers(subscribers, ids)
    : [];
  return readers.map(({ rule }, index) =>
    rule.left === undefined ? items[index] : asMarks(members[index]),
  );
}

const asMarks = (members: ReadonlySet<string> = new Set()): ReadonlyMap<string, ItemMark> =>
  new Map([...members].map((id) => [id, { verdict: "baseline", seenAtMs: 0 }]));

/**
 * Returns the members that a complete read did not find, for each reader; undefined if leaving is
 * not reported or the read was not complete.
 */
async function missedMembersOf(
  store: KnownStore,
  readers: readonly ListReader[],
  { completedScanAtMs }: MemberListObservation,
  previousAtMs: number | null,
): Promise<readonly (MissedMembers | undefined)[]> {
  if (completedScanAtMs === undefined) return [];
  return Promise.all(
    readers.map(async ({ subscriber, rule }) =>
      rule.left === undefined
        ? undefined
        : { ...(await store.absentMembers(subscriber, completedScanAtMs)), previousAtMs },
    ),
  );
}

const listOutcomeOf = (
  { completedPages, completedScanAtMs }: MemberListObservation,
  isUnderWay: boolean,
  evaluations: readonly SubscriberEvaluation[],
): ListOutcome => ({
  left: Math.max(
    ...evaluations.map(({ members = [] }) =>
      members.reduce((sum, { left }) => sum + left.length, 0),
    ),
    0,
  ),
  awaited: Math.max(...evaluations.map(({ awaited = 0 }) => awaited), 0),
  pages: completedPages,
  beganAtMs: completedScanAtMs,
  isUnderWay,
});

/** Joins the outcomes of two steps of one poll. */
function joinSteps(one: PollOutcome, next: PollOutcome): PollOutcome {
  const list =
    one.list === undefined || next.list === undefined
      ? (next.list ?? one.list)
      : { ...one.list, ...next.list, left: one.list.left + next.list.left };
  return {
    ...one,
    events: one.events + next.events,
    baselined: [...one.baselined, ...next.baselined],
    newItems: one.newItems + next.newItems,
    ...(list === undefined ? {} : { list }),
    ...(next.error === undefined ? {} : { error: next.error }),
  };
}
