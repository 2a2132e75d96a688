/**
 * A poll of one record or of a batch of records: reads it, and prepares its evaluation for the
 * readers.
 */
import { groupBy } from "../../model/group-by.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { User } from "../../model/user.ts";
import type { Profiles } from "../../requests/profiles.ts";
import type { Ask } from "../ask.ts";
import { evaluateRanking } from "../evaluate/evaluate-ranking.ts";
import { evaluateReading, isSuspiciousReading } from "../evaluate/evaluate-reading.ts";
import { NOTHING } from "../evaluate/verdicts.ts";
import { readingRules } from "../read/beside.ts";
import {
  isOfUsers,
  noneWhereNotFound,
  readProfiles,
  readRecord,
  type RecordObservation,
} from "../read/read-record.ts";
import type { Poll, Subscriber } from "../watch-poll.ts";
import type { PollOutcome } from "./poll-outcome.ts";
import type { Evaluate, PollState, Seen } from "./seen.ts";

export async function readRecordPoll(
  ask: Ask,
  poll: Poll,
  profiles: Profiles,
  isFirst: boolean,
): Promise<Seen> {
  // The name of the flag that ends the reading of pages. All subscribers of a source have the same
  // one.
  const until = readingRules(poll)[0]?.pagesUntil;
  const read = () =>
    isOfUsers(poll)
      ? readProfiles(profiles, poll, isFirst ? "baseline" : "poll")
      : readRecord(ask, poll, until);
  return seenRecords(poll, await (isBatch(poll) ? noneWhereNotFound(read) : read()));
}

function seenRecords(poll: Poll, seen: RecordObservation): Seen {
  const { records } = seen;
  return {
    isWhole: true,
    tweets: [...records.values()].filter(isTweet),
    users: isOfUsers(poll) ? (records as ReadonlyMap<string, User>) : new Map(),
    // An entry of a batch is itself the account or tweet that the facts are about. For a single
    // record about an account, the profile is added.
    isAboutAccount: !isBatch(poll),
    evaluator: async (state, _, context) => evaluatorOf(state, seen, context),
    outcome: ({ subscribers }) => ({ refused: refusedOf(subscribers, seen) }),
  };
}

function evaluatorOf(
  { poll, readers }: PollState,
  { records, refused }: RecordObservation,
  context: Parameters<Seen["evaluator"]>[2],
): Evaluate {
  const isSuspicious = isSuspiciousReading(readers, records);
  return ({ subscriber, target }, _, beside) => {
    const { detection } = subscriber.type;
    const { settings } = subscriber.watch;
    const { entry = "" } = subscriber;
    if (detection.detector !== "reading") throw new Error(`poll ${poll.key} mixes detectors`);
    if (refused?.has(entry) === true) return NOTHING;
    const record = records.get(entry);
    if ("ranking" in detection)
      return evaluateRanking(subscriber, target, record ?? {}, {
        ...context,
        rule: detection.ranking(settings),
      });
    return evaluateReading(subscriber, target, record, {
      ...context,
      rule: detection.rule(settings),
      ...beside,
      isSuspicious,
    });
  };
}

const isBatch = ({ subscribers }: Poll): boolean =>
  subscribers.some(({ entry }) => entry !== undefined);

function refusedOf(
  subscribers: readonly Subscriber[],
  { refused = new Map() }: RecordObservation,
): PollOutcome["refused"] {
  const own = subscribers.filter(({ entry = "" }) => refused.has(entry));
  return groupBy(own, ({ entry = "" }) => refused.get(entry) ?? "");
}

const isTweet = (record: unknown): record is Tweet =>
  typeof record === "object" &&
  record !== null &&
  "full_text" in record &&
  "conversation_id_str" in record;
