/** A poll that is read by itself, as plan and forecast see it. Pure. */
import { type Known, restsOn, restsOnKnown, type WatchBasis } from "../../plan/rates/basis.ts";
import type { Poll } from "../../plan/poll.ts";
import { newsPages, rescanRequests } from "../../plan/polls/feed-cost.ts";
import { checkPages } from "../../plan/polls/feed-pages.ts";
import { dailyRead, isReadByEveryPoll, readsWholeList } from "../../plan/polls/full-read.ts";
import type { CostFacts, GroupKind } from "../kind/group-kind.ts";
import { placedReads } from "./feed-algorithms.ts";
import { shareKey } from "./feed-pace.ts";

export const SINGLE_KIND: GroupKind = {
  costOf(poll, { pollsPerDay, fullReadPages: pages, itemsPerDay }) {
    const sweepsPerDay = rescanRequests(poll, pollsPerDay, itemsPerDay);
    const fullReadPages = Math.max(1, pages);
    const fullReadPerDay = fullReadRequests(poll, { pollsPerDay, fullReadPages });
    const polls = pollsPerDay * poll.costRequests + newsPages(poll, pollsPerDay, itemsPerDay);
    return {
      strategy: "single",
      pollsPerDay,
      sweepsPerDay,
      fullReadPerDay,
      fullReadPages,
      ...(itemsPerDay === undefined ? {} : { itemsPerDay }),
      requestsPerDay: polls + sweepsPerDay + fullReadPerDay + listChecks(poll),
    };
  },
  placed: placedReads,
  itemsPerDay: (poll, ofFeed) => (poll.detector === "feed" ? ofFeed(poll) : undefined),
  basisOf(poll, known) {
    if (poll.detector === "roster" && readsWholeList(poll)) return restsOnKnown([!known.isLengthKnown(poll) && "lengths"]);
    if (poll.detector !== "feed") return restsOn("schedule");
    return basisOfFeed(poll, known);
  },
  ratedMembers: () => [],
  partsOf: (poll) => [poll],
  probeKeys: () => [],
  restoreStrategy: () => undefined,
};

function basisOfFeed(poll: Poll, { rateOf, itemsPerDay }: Known): WatchBasis {
  const isEven = poll.timing.kind === "freshness" && rateOf(shareKey(poll.key)) === undefined;
  return restsOnKnown([isEven && "even", itemsPerDay(poll) === undefined && "pages"]);
}

/** A list whose departures are reported is read on by every poll, at most `max_pages` of it; any other one is read whole once a day. */
function fullReadRequests(poll: Poll, { pollsPerDay, fullReadPages }: Omit<CostFacts, "itemsPerDay">): number {
  if (!isReadByEveryPoll(poll)) return dailyRead(poll, pollsPerDay, fullReadPages);
  const pollsOfOneRead = Math.ceil(fullReadPages / poll.maxPages);
  return pollsPerDay * (fullReadPages / pollsOfOneRead - 1);
}

/** Once a day is asked whether a list holds those who are read through it. */
function listChecks({ source, subscribers }: Poll): number {
  if (source.endpoint !== "list-tweets") return 0;
  return checkPages(new Set(subscribers.flatMap(({ author }) => author ?? [])).size);
}
