/**
 * Counts what the watches found in a period. Reads the state page by page, so that other work of
 * the process does not wait. Makes no requests to the service.
 */
import { isoTime } from "../../model/clock.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { DeliveryOutcome, EventRecord } from "../../model/history.ts";
import type {
  EventFilter,
  EventHead,
  ReportConfig,
  ReportStore,
  ReportView,
  WatchReads,
  WatchReport,
} from "../../model/report.ts";
import type { MarkKind } from "../../model/mark.ts";
import type { WatchState, WatchStore } from "../../model/watch-store.ts";
import type { Tweet } from "../../model/tweet.ts";
import { ownValue } from "../../model/own-value.ts";
import { tweetUrl } from "../../render/text/permalink.ts";
import { spellTime } from "../../render/text/times.ts";
import { isReadingType } from "../../watches/registry.ts";
import { yieldToEventLoop } from "../../model/steps.ts";
import { LargeIdSet } from "./large-id-set.ts";
import { LargeTally } from "./large-tally.ts";

export interface ReportDeps {
  readonly store: ReportStore & Pick<WatchStore, "listWatches">;
  readonly linksHost: string;
  readonly retentionMs: number;
}

export interface ReportRequest
  extends Pick<ReportConfig, "title" | "watches" | "by" | "top" | "timezone"> {
  /** Null for a report that is not configured. */
  readonly name: string | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How many events are read at once: reading their bodies takes some milliseconds. */
const RECORDS_AT_ONCE = 25;
/** How many watches are read at once: each has some hundred rows, one for each hour. */
const WATCHES_AT_ONCE = 50;
/** How many values of a label are shown: the most frequent ones. */
const MAX_SHARES = 6;

export async function buildReport(deps: ReportDeps, request: ReportRequest): Promise<ReportView> {
  const { store, linksHost } = deps;
  const { fromMs, toMs, watches, top, by, timezone } = request;
  const tally = new Tally(request);
  // Formats of times take milliseconds when they are first used, so a turn of their own.
  const days = daysOf(request);
  await yieldToEventLoop();
  await readEvents(store, tally, request);
  const period = { since: isoTime(fromMs), until: isoTime(toMs) };
  const own = { watch: watches.join(), alerts: "true", ...period };
  const authors = await tally.authors.highest(top);
  const shares: Share[] = [];
  for (const label of by) {
    const values = (await tally.shares.get(label)?.highest(MAX_SHARES)) ?? [];
    const counts = values.map(({ key, count }) => ({ value: key, count }));
    shares.push({ label, count: sumOf([...tally.alerts.values()]), values: counts });
  }
  return {
    name: request.name,
    title: request.title,
    from: period.since,
    to: period.until,
    timezone,
    watches: await watchReports(deps, tally, { ...request, days }),
    top_authors: authors.map(({ handle, name, count }) => ({
      handle,
      name,
      alerted: { count, events: { ...own, author: handle } },
    })),
    top_posts: tally.posts.map((post) => shownPost(post, linksHost)),
    shares,
    deleted: stateCount(tally, "deleted", own),
    silenced: stateCount(tally, "silenced", own),
    given_up: stateCount(tally, "dead", own),
    ...(await markCounts(tally, own)),
  };
}

/** Returns how many alerts people acknowledged, and how many they marked as not relevant. */
async function markCounts(
  { marked, irrelevant, alerts }: Tally,
  filter: EventFilter,
): Promise<Pick<ReportView, "acknowledged" | "not_acknowledged" | "not_relevant">> {
  const all = sumOf([...alerts.values()]);
  const acknowledged = marked.get("acknowledged") ?? 0;
  const [top] = await irrelevant.highest(1);
  return {
    acknowledged: { count: acknowledged, events: { ...filter, acknowledged: "yes" } },
    not_acknowledged: { count: all - acknowledged, events: { ...filter, acknowledged: "no" } },
    not_relevant: {
      count: marked.get("not_relevant") ?? 0,
      events: { ...filter, "not-relevant": "yes" },
      top_author: top?.handle ?? "",
      by_top_author: top?.count ?? 0,
    },
  };
}

type Share = ReportView["shares"][number];

const beforeOf = ({ fromMs, toMs }: ReportRequest): number => fromMs - (toMs - fromMs);

/** Reads the events of the period, and counts those of the period before it. */
async function readEvents(
  store: ReportDeps["store"],
  tally: Tally,
  request: ReportRequest,
): Promise<void> {
  let before: string | undefined;
  do {
    const { heads, next } = await store.eventHeads(beforeOf(request), before);
    const ids = heads.filter((head) => tally.isWanted(head)).map(({ id }) => id);
    for (let at = 0; at < ids.length; ) {
      await yieldToEventLoop();
      // The first statements are compiled for one event alone.
      const most = before === undefined && at === 0 ? 1 : RECORDS_AT_ONCE;
      const records = await store.eventRecords(ids.slice(at, at + most));
      at += most;
      for (const record of records) tally.add(record);
    }
    before = next ?? undefined;
    await yieldToEventLoop();
  } while (before !== undefined);
}

/** Reads the counts of each watch, some watches at a time, and one statement in a turn. */
async function watchReports(
  { store, retentionMs }: ReportDeps,
  tally: Tally,
  request: ReportRequest & { readonly days: readonly string[] },
): Promise<readonly WatchReport[]> {
  const { watches, fromMs, toMs, nowMs, days } = request;
  const beforeMs = beforeOf(request);
  const states = new Map((await store.listWatches()).map((state) => [state.id, state]));
  await yieldToEventLoop();
  const firstHourMs = await store.firstWatchHour();
  await yieldToEventLoop();
  const reports: WatchReport[] = [];
  for (let at = 0; at < watches.length; at += WATCHES_AT_ONCE) {
    const some = watches.slice(at, at + WATCHES_AT_ONCE);
    const keys = some.flatMap((watch) => states.get(watch)?.key ?? []);
    // An hour belongs to the period in which it begins, so that it counts once. A report up to now
    // includes the current hour.
    const endMs = toMs === nowMs ? toMs : floorHour(toMs);
    const now = await store.watchReads(keys, floorHour(fromMs), endMs);
    await yieldToEventLoop();
    const then = await store.watchReads(keys, floorHour(beforeMs), floorHour(fromMs));
    for (const watch of some) {
      const state = states.get(watch);
      const isWhole = isKnownSince(state, beforeMs) && nowMs - beforeMs <= retentionMs;
      const areCounted = isWhole && firstHourMs !== null && firstHourMs <= beforeMs;
      const key = state?.key ?? "";
      const hasItems = state === undefined || !isReadingType(state.type) || now.has(key);
      reports.push({
        watch,
        ...(hasItems
          ? readsOf(now.get(key), areCounted ? (then.get(key) ?? NOTHING) : undefined)
          : { read: null, filtered: null }),
        alerted: {
          count: tally.alerts.get(watch) ?? 0,
          before: isWhole ? (tally.before.get(watch) ?? 0) : null,
          events: { watch, alerts: "true", since: isoTime(fromMs), until: isoTime(toMs) },
        },
        days: days.map((day) => ({ day, count: tally.days.get(`${watch}\n${day}`) ?? 0 })),
      });
    }
    await yieldToEventLoop();
  }
  return reports;
}

const NOTHING: WatchReads = { read: 0, filtered: 0 };

const isKnownSince = (state: WatchState | undefined, atMs: number): boolean =>
  state !== undefined && state.registeredAtMs <= atMs;

const readsOf = (
  now: WatchReads = NOTHING,
  before: WatchReads | undefined,
): Pick<WatchReport, "read" | "filtered"> => ({
  read: { count: now.read, before: before?.read ?? null },
  filtered: { count: now.filtered, before: before?.filtered ?? null },
});

interface SeenPost {
  readonly tweet: Tweet;
  readonly seenAtMs: number;
  readonly weight: number;
}

/** Collects the counts. Events are added newest first. */
class Tally {
  readonly alerts = new Map<string, number>();
  readonly before = new Map<string, number>();
  readonly days = new Map<string, number>();
  readonly authors = new LargeTally();
  /** The top posts, the highest first. */
  readonly posts: SeenPost[] = [];
  readonly shares = new Map<string, LargeTally>();
  readonly states = new Map<string, number>();
  /** The number of alerts with each kind of mark. */
  readonly marked = new Map<MarkKind, number>();
  /** The authors of alerts that were marked as not relevant. */
  readonly irrelevant = new LargeTally();
  readonly #seenPosts = new LargeIdSet();
  readonly #request: ReportRequest;
  readonly #watches: ReadonlySet<string>;

  constructor(request: ReportRequest) {
    this.#request = request;
    this.#watches = new Set(request.watches);
  }

  /**
   * Whether the event must be read completely. An event of the previous period is only counted,
   * which is done here.
   */
  isWanted({ watch, watchType, detectedAtMs }: EventHead): boolean {
    const { fromMs, toMs } = this.#request;
    // Alerts of the daemon itself may name a watch, too, but do not count.
    if (watchType === "daemon" || !this.#watches.has(watch) || detectedAtMs >= toMs) return false;
    if (detectedAtMs >= fromMs) return true;
    if (detectedAtMs >= beforeOf(this.#request)) raise(this.before, watch);
    return false;
  }

  /** Counts an alert of the period. */
  add({ event, deliveries, acknowledged, notRelevant }: EventRecord): void {
    const { by, timezone } = this.#request;
    raise(this.alerts, event.watch);
    raise(this.days, `${event.watch}\n${spellTime(event.detectedAtMs, { timezone }, "date")}`);
    for (const state of new Set(deliveries.map(({ state: one }) => one))) raise(this.states, state);
    this.#addAuthor(this.authors, event);
    if (acknowledged !== undefined) raise(this.marked, "acknowledged");
    if (notRelevant !== undefined) {
      raise(this.marked, "not_relevant");
      this.#addAuthor(this.irrelevant, event);
    }
    for (const label of by) {
      const values = this.shares.get(label) ?? new LargeTally();
      this.shares.set(label, values);
      values.add(ownValue(event.labels, label) || "none");
    }
    this.#addPost(event);
  }

  #addAuthor(authors: LargeTally, { body }: ChirpEvent): void {
    const user = body.tweet?.user ?? body.user;
    if (user === undefined || user.username === "") return;
    const { username, display_name: name } = user;
    authors.add(username.toLowerCase(), username, name || username);
  }

  /** Adds a post with its counts as they were last seen. Only the highest posts are kept. */
  #addPost({ type, body: { tweet }, detectedAtMs }: ChirpEvent): void {
    if (tweet === undefined || type === "tweet.deleted" || !this.#seenPosts.add(tweet.id)) return;
    const weight = tweet.likes_count + tweet.retweet_count + tweet.quote_count + tweet.reply_count;
    const at = this.posts.findIndex((post) => post.weight < weight);
    this.posts.splice(at < 0 ? this.posts.length : at, 0, {
      tweet,
      seenAtMs: detectedAtMs,
      weight,
    });
    this.posts.length = Math.min(this.posts.length, this.#request.top);
  }
}

const raise = <Key>(counts: Map<Key, number>, key: Key): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1);

const shownPost = (
  { tweet, seenAtMs }: SeenPost,
  linksHost: string,
): ReportView["top_posts"][number] => ({
  id: tweet.id,
  author: tweet.user.username,
  text: tweet.full_text,
  url: tweetUrl(linksHost, tweet.user.username, tweet.id),
  likes: tweet.likes_count,
  reposts: tweet.retweet_count + tweet.quote_count,
  replies: tweet.reply_count,
  seen_at: isoTime(seenAtMs),
});

const stateCount = (
  { states }: Tally,
  state: DeliveryOutcome,
  filter: EventFilter,
): ReportView["deleted"] => ({
  count: states.get(state) ?? 0,
  events: { ...filter, state },
});

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const floorHour = (atMs: number): number => Math.floor(atMs / HOUR_MS) * HOUR_MS;

function daysOf({ fromMs, toMs, timezone }: ReportRequest): readonly string[] {
  const days = new Set<string>();
  for (let atMs = fromMs; atMs < toMs; atMs += DAY_MS / 2)
    days.add(spellTime(atMs, { timezone }, "date"));
  if (toMs > fromMs) days.add(spellTime(toMs - 1, { timezone }, "date"));
  return [...days];
}
