/**
 * Accounts and their followers, as the data service shows them in three ways: profiles with
 * counters, the whole list newest first, and the list of the last seven days. The answers depend
 * only on the clock. For tests of probes of lists.
 */
import {
  type UpstreamAnswer,
  UpstreamError,
  type UpstreamRequest,
} from "../../src/model/upstream.ts";
import type { User } from "../../src/model/user.ts";
import { makeUser } from "./make-event.ts";

export interface WorldFollow {
  readonly id: string;
  readonly atMs: number;
  /** Lists show the follow from this time on. The counter includes it at once. */
  readonly listedAtMs: number;
  readonly untilMs: number;
  readonly isIndexed: boolean;
  /** Whether no list ever shows the follow, although the counter includes it. */
  readonly isUnlisted: boolean;
}

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface WorldSubject {
  readonly id: string;
  /** Follows in the order in which they happened. */
  readonly follows: WorldFollow[];
  /** Whether the counter of the account never changes. */
  isFrozen: boolean;
  readonly gone: Span[];
  readonly flaps: (Span & { readonly by: number })[];
}

export interface FollowOptions {
  readonly listLagMs?: number;
  readonly untilMs?: number;
  readonly isIndexed?: boolean;
  readonly isUnlisted?: boolean;
  /** The id of a known account. By default a new account follows. */
  readonly id?: string;
}

export interface ListsWorld {
  readonly subjects: readonly WorldSubject[];
  add(): WorldSubject;
  follow(subject: WorldSubject, atMs: number, options?: FollowOptions): WorldFollow;
  answer(request: UpstreamRequest, nowMs: number): UpstreamAnswer;
}

export interface ListsWorldOptions {
  readonly pageSize?: number;
  /**
   * What a cursor encodes: the number of entries shown, so that pages shift when people come and
   * go, or the last entry shown.
   */
  readonly cursors?: "offsets" | "entries";
}

const WEEK_MS = 604_800_000;

export function createListsWorld({
  pageSize = 200,
  cursors = "offsets",
}: ListsWorldOptions = {}): ListsWorld {
  const subjects: WorldSubject[] = [];
  let followers = 0;
  const isIn = (spans: readonly Span[], nowMs: number) =>
    spans.some(({ fromMs, untilMs }) => nowMs >= fromMs && nowMs < untilMs);

  const countOf = ({ follows, isFrozen, flaps }: WorldSubject, nowMs: number): number => {
    const now = isFrozen ? (follows[0]?.atMs ?? nowMs) : nowMs;
    const flapped = flaps
      .filter((flap) => isIn([flap], nowMs))
      .reduce((sum, { by }) => sum + by, 0);
    return (
      5_000 + follows.filter(({ atMs, untilMs }) => atMs <= now && untilMs > now).length + flapped
    );
  };
  const userOf = (subject: WorldSubject, nowMs: number): User => {
    const count = countOf(subject, nowMs);
    return {
      ...makeUser(subject.id, `subject_${subject.id}`),
      followers_count: count,
      followings_count: count,
    };
  };
  const listed = ({ follows }: WorldSubject, nowMs: number): readonly WorldFollow[] =>
    follows
      .filter(
        ({ listedAtMs, untilMs, isUnlisted }) =>
          listedAtMs <= nowMs && untilMs > nowMs && !isUnlisted,
      )
      .reverse();

  return {
    subjects,
    add() {
      const subject: WorldSubject = {
        id: String(1_000 + subjects.length),
        follows: [],
        isFrozen: false,
        gone: [],
        flaps: [],
      };
      subjects.push(subject);
      return subject;
    },
    follow(
      subject,
      atMs,
      {
        listLagMs = 0,
        untilMs = Number.POSITIVE_INFINITY,
        isIndexed = true,
        isUnlisted = false,
        id,
      } = {},
    ) {
      followers += 1;
      const one = {
        id: id ?? String(900_000 + followers),
        atMs,
        listedAtMs: atMs + listLagMs,
        untilMs,
        isIndexed,
        isUnlisted,
      };
      subject.follows.push(one);
      subject.follows.sort((a, b) => a.atMs - b.atMs);
      return one;
    },
    answer({ endpoint, params, cursor }, nowMs) {
      if (endpoint === "info-batch") {
        const ids = (params["user_ids"] ?? []) as readonly string[];
        const found = subjects.filter(({ id, gone }) => ids.includes(id) && !isIn(gone, nowMs));
        return { users: found.map((one) => userOf(one, nowMs)) };
      }
      const subject = subjects.find(({ id }) => id === params["user_id"]);
      if (subject === undefined || isIn(subject.gone, nowMs))
        throw new UpstreamError("not_found", "Not Found", 404);
      if (endpoint === "id-to-username") return { record: { handle: `subject_${subject.id}` } };
      if (endpoint === "info") return { record: userOf(subject, nowMs) };
      const all = listed(subject, nowMs);
      if (endpoint.endsWith("-7d")) {
        const recent = all.filter(({ atMs, isIndexed }) => isIndexed && atMs > nowMs - WEEK_MS);
        return {
          users: recent.map(({ id, atMs }) => ({
            ...makeUser(id),
            followerDate: new Date(atMs).toISOString(),
          })),
        };
      }
      const from =
        cursors === "offsets"
          ? Number(cursor ?? 0)
          : all.findIndex(({ atMs }) => atMs < Number(cursor ?? Number.POSITIVE_INFINITY));
      const page = from < 0 ? [] : all.slice(from, from + pageSize);
      const last = page.at(-1);
      const isEnd = last === undefined || from + pageSize >= all.length;
      return {
        users: page.map(({ id }) => makeUser(id)),
        ...(isEnd
          ? {}
          : { nextCursor: String(cursors === "offsets" ? from + pageSize : last.atMs) }),
      };
    },
  };
}
