/**
 * What a poll of a member list sees in one of its steps: puts together what its subscribers want, on whose behalf it asks, and how long the list is.
 * The order of steps and pages is read-member-list.ts's.
 */
import type { RosterRule } from "../../detect/roster.ts";
import type { PollStore, SourceState } from "../../model/poll-store.ts";
import type { Log } from "../../model/log.ts";
import { UpstreamError } from "../../model/upstream.ts";
import type { Watch } from "../../model/watch.ts";
import { userIdOf } from "../../plan/poll.ts";
import { lengthField, memberCountOf, wholeReadEveryMs } from "../../plan/polls/whole-reads.ts";
import { askBehind, askFor } from "../ask.ts";
import { type ListSubscriber, listSubscriberOf } from "../read/list-subscribers.ts";
import type { LoadedPoll } from "../evaluate/load-subscribers.ts";
import type { Profiles } from "../../requests/profiles.ts";
import {
  nextStep,
  type ReadOptions,
  readStep,
  type MemberListNeeds,
  type MemberListObservation,
  type MemberListStep,
} from "../read/read-member-list.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import { RequestHeld } from "../../requests/request-held.ts";
import { isFirstRead } from "../read/baselines.ts";
import type { FirstReadPages } from "../read/first-read-pages.ts";
import type { PollState } from "./poll-state.ts";
import { EMPTY_MEMBER_LIST, type MemberListMemory } from "../read/member-list-memory.ts";

export interface ListReaderDeps {
  readonly store: Pick<PollStore, "itemMarks">;
  readonly gate: RequestGate;
  readonly profiles: Profiles;
  readonly log: Log;
  readonly firstReads: Pick<FirstReadPages, "count">;
}

/** One poll of a list, over its steps. */
export interface ListPoll {
  readonly startedAtMs: number;
  readonly done: Set<MemberListStep>;
  /** Whether a subscriber had no baseline when it began; undefined before the first step. */
  isFirst?: boolean;
  /** Of what `max_pages` allows, pages that were read as part of the whole already. */
  scanPages: number;
}

export interface SeenList {
  readonly list: MemberListObservation;
  /** What somebody waits for goes on with the next poll: a read of the whole list, or newcomers that a cut walk left unread. */
  readonly isOpen: boolean;
  /** How many members the profile says the list has, where that was asked. */
  readonly size?: number;
}

export const memberListMemoryOf = ({ memory }: SourceState): MemberListMemory => ({
  ...EMPTY_MEMBER_LIST,
  ...(memory as Partial<MemberListMemory>),
});

/** Of every subscriber, in their order. */
export function rosterRules({ poll, targets }: LoadedPoll): readonly RosterRule[] {
  return poll.subscribers.map(({ type: { detection }, watch }, index) => {
    const target = targets[index];
    if (target === undefined || detection.detector !== "roster") throw new Error(`poll ${poll.key} is no member list`);
    return detection.rule(watch.settings, target);
  });
}

/** In the order of the subscribers. */
export const listSubscribersOf = (loaded: PollState): readonly ListSubscriber[] =>
  rosterRules(loaded).flatMap((rule, index) => {
    const target = loaded.targets[index];
    return target === undefined ? [] : [listSubscriberOf(rule, target, memberListMemoryOf(loaded.source), loaded.poll.source.endpoint)];
  });

/** The next step of a poll; undefined when it is done. @throws what its first request throws */
export async function observeList(deps: ListReaderDeps, loaded: PollState, listPoll: ListPoll): Promise<SeenList | undefined> {
  const { poll, targets, source } = loaded;
  const memory = memberListMemoryOf(source);
  const needs = needsOf(deps, loaded, listPoll.startedAtMs);
  const step = nextStep(memory, needs, listPoll.done);
  const maxPages = step === "rest" ? poll.maxPages - listPoll.scanPages : poll.maxPages;
  if (step === undefined || maxPages <= 0) return undefined;
  const isFirst = (listPoll.isFirst ??= isFirstRead(poll, targets));
  listPoll.done.add(step);
  const list = await readIn(step, deps, loaded, { maxPages, memory, needs, isFirst });
  if (list === undefined) return undefined;
  listPoll.scanPages += list.scanPages;
  if (list.completedScanAtMs !== undefined) listPoll.done.add("rest");
  const size = isFirst && list.memory.scan !== undefined ? await sizeOf(deps, loaded) : undefined;
  return { list, isOpen: isOpenAfter(list, needs, isFirst), ...(size === undefined ? {} : { size }) };
}

/** Undefined where it may wait, and could not be read now. */
async function readIn(
  step: MemberListStep,
  { gate, log, firstReads }: ListReaderDeps,
  { poll }: PollState,
  { isFirst, ...reading }: Omit<ReadOptions, "ask"> & { readonly isFirst: boolean },
): Promise<MemberListObservation | undefined> {
  if (isFirst) return readStep(step, poll, { ...reading, ask: firstReads.count(poll, askFor(gate, poll, "baseline")) });
  if (step !== "rest" || !isBehind(reading.needs)) return readStep(step, poll, { ...reading, ask: askFor(gate, poll, "poll") });
  const later = (error: unknown) => {
    const isHeld = error instanceof RequestHeld;
    log[isHeld ? "debug" : "warn"]("the rest of a member list waits", { watch: poll.subscribers[0]?.watch.id, error });
  };
  try {
    const { error, ...list } = await readStep(step, poll, { ...reading, ask: askBehind(gate, poll) });
    if (error !== undefined) later(error);
    return list;
  } catch (error) {
    if (!(error instanceof RequestHeld || error instanceof UpstreamError)) throw error;
    later(error);
    return undefined;
  }
}

function isOpenAfter(
  { memory, members, completedScanAtMs }: MemberListObservation,
  { subscribers }: MemberListNeeds,
  isFirst: boolean,
): boolean {
  if (memory.gaps !== undefined) return true;
  const isWaitedFor = subscribers.some(({ part }) => part === "whole");
  if (isWaitedFor) return memory.scan !== undefined || (isFirst && completedScanAtMs === undefined);
  return members.length === 0 && completedScanAtMs === undefined && subscribers.some(({ part }) => part === "draws");
}

function needsOf({ store }: ListReaderDeps, loaded: PollState, nowMs: number): MemberListNeeds {
  const { poll, targets } = loaded;
  const subscribers = listSubscribersOf(loaded);
  return {
    modes: new Set(subscribers.map(({ mode }) => mode)),
    subscribers,
    needsScan: subscribers.some((subscriber, index) => waitsForAll(subscriber) && wantsAll(poll.subscribers[index]?.watch)),
    wholeEveryMs: wholeReadEveryMs(poll.subscribers, Math.max(0, ...targets.map(({ memory }) => memberCountOf(memory) ?? 0))),
    nowMs,
    known: (ids) => store.itemMarks(poll.subscribers, ids),
  };
}

const waitsForAll = ({ part, isBaselined, partial }: ListSubscriber): boolean => !isBaselined || part === "draws" || partial !== undefined;

/** Who only wants to know who joined can do without, where the watch says so. */
const wantsAll = (watch: Watch | undefined): boolean => watch?.fullReadEveryMs !== Number.POSITIVE_INFINITY;

/** Nobody waits for more than the names of those who were there all along. */
const isBehind = ({ subscribers }: MemberListNeeds): boolean => subscribers.every(({ part }) => part === "follows");

/** By the profile, which is kept for a day: one request at most, at the first read of a list that is longer than a poll reads. */
async function sizeOf({ profiles }: ListReaderDeps, { poll, targets }: PollState): Promise<number | undefined> {
  const field = lengthField(poll.source.endpoint);
  const userId = userIdOf(poll);
  if (field === undefined || userId === "" || targets.every(({ memory }) => typeof memory["size"] === "number")) return undefined;
  const profile = await profiles.profileOf(userId, poll.subscribers[0]?.watch.id ?? "");
  return profile?.[field];
}
