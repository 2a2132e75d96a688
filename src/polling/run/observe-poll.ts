/** What a poll of a feed or of records sees. Member lists are read step by step: observe-list.ts. */
import { EMPTY_FEED, readFeedMemory } from "../../detect/feed-memory.ts";
import type { Reach } from "../../detect/feed-poll.ts";
import type { Profiles } from "../../requests/profiles.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import { type Ask, askFor } from "../ask.ts";
import { isSkipping } from "../evaluate/absence.ts";
import { feedNeeds } from "../evaluate/evaluate-feed.ts";
import { isFirstRead } from "../read/baselines.ts";
import { readingRules } from "../read/beside.ts";
import type { FirstReadPages } from "../read/first-read-pages.ts";
import { readFeed } from "../read/read-feed.ts";
import { isOfUsers, noneWhereNotFound, readProfiles, readRecord } from "../read/read-record.ts";
import type { Poll } from "../watch-poll.ts";
import type { Observation } from "./observation.ts";
import type { PollState } from "./poll-state.ts";

export interface PollReaderDeps {
  readonly gate: RequestGate;
  readonly profiles: Profiles;
  readonly serviceClock: ServiceClock;
  readonly firstReads: Pick<FirstReadPages, "count">;
}

export interface PollStart {
  readonly startedAtMs: number;
  /** Of a feed, where something knows better how deep it must go. */
  readonly reach: Reach | undefined;
}

export async function observePoll(deps: PollReaderDeps, state: PollState, start: PollStart): Promise<Observation> {
  const { poll, targets } = state;
  const isFirst = isFirstRead(poll, targets);
  const ask = isFirst ? deps.firstReads.count(poll, askFor(deps.gate, poll, "baseline")) : askFor(deps.gate, poll, "poll");
  if (poll.detector === "feed") return observeFeed(ask, state, start, deps.serviceClock);
  if (poll.detector === "reading") {
    const read = () =>
      isOfUsers(poll) ? readProfiles(deps.profiles, poll, isFirst ? "baseline" : "poll") : readRecord(ask, poll, pagesUntil(poll));
    return { kind: "reading", record: await (isBatch(poll) ? noneWhereNotFound(read) : read()) };
  }
  throw new Error(`poll ${poll.key} reads a member list`);
}

async function observeFeed(
  ask: Ask,
  { poll, targets, source }: PollState,
  { startedAtMs, reach }: PollStart,
  serviceClock: ServiceClock,
): Promise<Observation> {
  const needs = () => ({
    ...feedNeeds(poll.subscribers, targets, serviceClock),
    ...(reach === undefined ? {} : { reach }),
  });
  // Where nobody is to hear what came meanwhile, the feed is read as if for the first time: one page.
  const isFresh = poll.subscribers.every(({ watch }, index) => isSkipping(watch, targets[index] ?? { memory: {} }));
  const memory = isFresh ? EMPTY_FEED : readFeedMemory(source.memory);
  return { kind: "feed", feed: await readFeed(ask, poll, { memory, needs, serviceClock, startedAtMs }) };
}

/** The flag that ends reading on; subscribers of one source want the same. */
const pagesUntil = (poll: Poll): string | undefined => readingRules(poll)[0]?.pagesUntil;

const isBatch = ({ subscribers }: Poll): boolean => subscribers.some(({ entry }) => entry !== undefined);
