/**
 * What is posted, hour by hour. An hour is a pure function of seed, hour and (in a demo) start; nothing looks further back than one
 * hour, so any hour can be made on demand. Replies, retweets and quotes answer posts of their own hour or the one before.
 */
import type { TweetKind } from "../../model/tweet.ts";
import type { Account } from "./accounts.ts";
import { belongs, COMMUNITIES } from "./communities.ts";
import { demoPosts, type DemoPost, type Pace } from "./demo-pace.ts";
import { createDice, hash32, pick, poisson, unit } from "./dice.ts";
import { composeText } from "./texts.ts";
import { snowflake, type TweetRecord } from "./tweet-record.ts";

export const HOUR_MS = 3_600_000;

/** Bounds memory: fewer hours are remembered of a world with more accounts. */
const KEPT_ACCOUNT_HOURS = 1_500_000;

export interface StreamOptions {
  readonly seed: number;
  readonly accounts: readonly Account[];
  readonly startMs: number;
  readonly pace: Pace;
}

export interface Stream {
  hour(hour: number): readonly TweetRecord[];
  /** What was posted in this hour in answer to a tweet. */
  answersIn(hour: number, id: string): readonly TweetRecord[];
}

/** A post before it is known what it answers. */
interface Draft {
  readonly atMs: number;
  readonly id: string;
  readonly account: Account;
  readonly kind: TweetKind;
  /** The part of a thread before this one. */
  readonly after?: Draft;
  readonly rootId: string;
  readonly demo?: DemoPost["role"];
}

const DEMO_TIMELINE = [2, 3] as const;

/** `hour` = epoch ms / one hour. Records oldest first; hours are remembered, the first made are forgotten first. */
export function createStream(options: StreamOptions): Stream {
  const kept = Math.max(48, Math.min(1_500, Math.floor(KEPT_ACCOUNT_HOURS / options.accounts.length)));
  const drafts = remember(kept, (hour: number) => draftHour(options, hour));
  const hours = remember(kept, (hour: number) => drafts(hour).map((draft) => record(options, draft, drafts(hour - 1), drafts(hour))));
  const answers = remember(kept, (hour: number) => byTarget(hours(hour)));
  return { hour: hours, answersIn: (hour, id) => answers(hour).get(id) ?? [] };
}

function byTarget(records: readonly TweetRecord[]): ReadonlyMap<string, readonly TweetRecord[]> {
  const groups = new Map<string, TweetRecord[]>();
  for (const record of records) {
    if (record.targetId === undefined) continue;
    const group = groups.get(record.targetId);
    if (group === undefined) groups.set(record.targetId, [record]);
    else group.push(record);
  }
  return groups;
}

function remember<T>(most: number, make: (hour: number) => T): (hour: number) => T {
  const kept = new Map<number, T>();
  return (hour) => {
    const known = kept.get(hour);
    if (known !== undefined) return known;
    const made = make(hour);
    kept.set(hour, made);
    if (kept.size > most) kept.delete(kept.keys().next().value as number);
    return made;
  };
}

function draftHour(options: StreamOptions, hour: number): readonly Draft[] {
  const dice = createDice(options.seed, "hour", hour);
  const drafts: Draft[] = [];
  for (const account of options.accounts) {
    const count = poisson(dice, (account.postsPerDay / 24) * busyness(options.seed, account.index, hour));
    for (let i = 0; i < count; i += 1) drafts.push(...draftPosts(options.seed, account, (hour + dice()) * HOUR_MS, dice));
  }
  if (options.pace === "demo") drafts.push(...draftDemo(options, hour));
  return drafts.filter((draft) => draft.atMs < (hour + 1) * HOUR_MS).sort((a, b) => a.atMs - b.atMs);
}

/** People sleep, and post in bursts. */
const busyness = (seed: number, account: number, hour: number): number =>
  (1 + 0.8 * Math.sin(((hour % 24) / 24 + unit(seed, "zone", account)) * 2 * Math.PI)) *
  (unit(seed, "burst", account, hour) < 0.1 ? 4 : 0.67);

function draftPosts(seed: number, account: Account, at: number, dice: () => number): readonly Draft[] {
  const root = draft(seed, account, Math.floor(at), kindBy(dice()));
  if (root.kind !== "post" || dice() > 0.08) return [root];
  const thread = [root];
  for (let part = 1 + Math.floor(dice() * 4); part > 0; part -= 1) {
    const after = thread[thread.length - 1] as Draft;
    thread.push({ ...draft(seed, account, after.atMs + 4_000 + Math.floor(dice() * 20_000), "reply"), after, rootId: root.id });
  }
  return thread;
}

function draft(seed: number, account: Account, atMs: number, kind: TweetKind): Draft {
  const id = snowflake(atMs, hash32(seed, "tweet", account.index, atMs) & 0x1fffff);
  return { atMs, id, account, kind, rootId: id };
}

const kindBy = (chance: number): TweetKind => (chance < 0.55 ? "post" : chance < 0.77 ? "reply" : chance < 0.92 ? "retweet" : "quote");

function draftDemo(options: StreamOptions, hour: number): readonly Draft[] {
  const { accounts, seed, startMs } = options;
  return demoPosts(startMs, hour * HOUR_MS, (hour + 1) * HOUR_MS).map((post) => {
    const anyone = 5 + Math.floor(unit(seed, "demo-author", post.slot) * Math.max(1, accounts.length - 5));
    const author = post.role === "timeline" ? DEMO_TIMELINE[Math.floor(post.slot / 3) % 2] : anyone;
    return { ...draft(seed, accounts[author ?? 2] ?? (accounts[2] as Account), post.atMs, "post"), demo: post.role };
  });
}

function record(options: StreamOptions, of: Draft, before: readonly Draft[], same: readonly Draft[]): TweetRecord {
  const { seed, pace } = options;
  const dice = createDice(seed, "record", of.id);
  const target = of.kind === "post" ? undefined : (of.after ?? findTarget(of, before, same, dice));
  const kind = target === undefined ? "post" : of.kind;
  const communityId = kind === "post" ? communityOf(seed, of, dice) : undefined;
  const visibleMs = of.atMs + 150 + Math.floor(dice() * 700);
  return {
    id: of.id,
    atMs: of.atMs,
    visibleMs,
    indexedMs: visibleMs + indexLag(dice, pace),
    author: of.account.index,
    kind,
    text: composeText(
      { account: of.account, kind, target: target?.account, community: communityId !== undefined, mention: of.demo === "mention" },
      dice,
    ),
    lang: of.account.lang,
    conversationId: kind === "reply" ? (target?.rootId ?? of.id) : of.id,
    ...(target === undefined ? {} : { targetId: target.id }),
    ...(communityId === undefined ? {} : { communityId }),
    media: kind === "retweet" ? [] : mediaBy(dice()),
    likesAtLast: Math.floor(Math.sqrt(of.account.followersBefore + 10) * dice() ** 3 * 6),
  };
}

/** The index lags a second or two, sometimes minutes (field notes section 5). */
const indexLag = (dice: () => number, pace: Pace): number =>
  pace === "demo" ? Math.floor(dice() * 500) : Math.floor(dice() < 0.01 ? 30_000 + dice() * 200_000 : 200 + dice() * 1_800);

/** An earlier original by someone else; a few tries, so that an hour costs no more than its posts. */
function findTarget(of: Draft, before: readonly Draft[], same: readonly Draft[], dice: () => number): Draft | undefined {
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const index = Math.floor(dice() * (before.length + same.length));
    const other = before[index] ?? same[index - before.length];
    if (other !== undefined && other.atMs < of.atMs && isOriginal(other) && other.account !== of.account) return other;
  }
  return undefined;
}

/** Only what has no target of its own may be answered, so that no chain leads out of the two hours. */
const isOriginal = (draft: Draft): boolean => draft.kind === "post" || draft.after !== undefined;

function communityOf(seed: number, of: Draft, dice: () => number): string | undefined {
  if (of.demo !== undefined) return of.demo === "community" ? COMMUNITIES[0]?.id : undefined;
  const community = pick(COMMUNITIES, dice());
  return dice() < 0.2 && belongs(seed, community.id, community.share, of.account.index) ? community.id : undefined;
}

const mediaBy = (chance: number): TweetRecord["media"] =>
  chance < 0.16
    ? ["photo"]
    : chance < 0.2
      ? ["photo", "photo"]
      : chance < 0.24
        ? ["video"]
        : chance < 0.25
          ? ["animated_gif"]
          : chance < 0.4
            ? ["url"]
            : [];
