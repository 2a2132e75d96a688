/** Reads records: a single object, or the entries of a batch by their ids. */
import type { Purpose } from "../../budget/spending-limit.ts";
import type { JsonObject } from "../../model/json.ts";
import { UpstreamError } from "../../model/upstream.ts";
import { type Ask, askerOf } from "../ask.ts";
import { reusableAgeMs, type ProfileBatcher } from "../../requests/profile-batcher.ts";
import type { Poll } from "../watch-poll.ts";

export interface RecordObservation {
  /**
   * A single object has the key ""; entries of a batch have their ids. An entry that is missing was
   * not in the answer.
   */
  readonly records: ReadonlyMap<string, JsonObject>;
  /**
   * Entries of a batch that the service refuses to answer, with its error. They do not count as
   * missing.
   */
  readonly refused?: ReadonlyMap<string, string> | undefined;
}

/** Whether the records are accounts. */
export const isOfUsers = ({ source }: Poll): boolean => source.endpoint === "info-batch";

/**
 * Reads a record. A record may have several pages. They are read until its field `until` is true.
 */
export async function readRecord(
  ask: Ask,
  poll: Poll,
  until: string | undefined,
): Promise<RecordObservation> {
  const first = await ask(poll.source.params);
  const entries = first.users ?? first.tweets;
  if (entries !== undefined)
    return {
      records: new Map(entries.map((entry) => [entry.id, entry])),
      refused: first.refused,
    };
  let { record = {}, nextCursor } = first;
  for (
    let page = 1;
    until !== undefined &&
    record[until] !== true &&
    nextCursor !== undefined &&
    page < poll.maxPages;
    page += 1
  ) {
    const answer = await ask(poll.source.params, nextCursor);
    record = answer.record ?? record;
    nextCursor = answer.nextCursor;
  }
  // If pages were left unread, the value is unknown.
  const isUnknown = until !== undefined && record[until] !== true && nextCursor !== undefined;
  return { records: new Map([["", isUnknown ? { ...record, [until]: null } : record]]) };
}

/**
 * Reads the profiles of a batch, in requests shared with polls that probe accounts at the same
 * time. For a baseline, cached profiles are not used.
 */
export async function readProfiles(
  profiles: ProfileBatcher,
  poll: Poll,
  purpose: Purpose,
): Promise<RecordObservation> {
  const userIds = poll.source.params["user_ids"] as readonly string[];
  const seen = await profiles.ask(
    askerOf(poll, purpose),
    userIds,
    purpose === "baseline" ? 0 : reusableAgeMs(poll.intervalMs),
  );
  return {
    records: new Map(
      [...seen].flatMap(([id, { user }]) => (user === undefined ? [] : [[id, user]])),
    ),
    refused: new Map(
      [...seen].flatMap(([id, { refused }]) => (refused === undefined ? [] : [[id, refused]])),
    ),
  };
}

/** Treats a 404 for a batch as an answer without entries. */
export async function noneWhereNotFound(
  read: () => Promise<RecordObservation>,
): Promise<RecordObservation> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === "not_found") return { records: new Map() };
    throw error;
  }
}
