/**
 * Counts what the watches found in a time, page by page, so that nothing else waits for it. Asks
 * nothing of the service.
 */
import { isoTime } from "../../model/clock.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { DeliveryOutcome, EventRecord, History } from "../../model/history.ts";
import type {
  EventFilter,
  ReportConfig,
  ReportStore,
  ReportView,
  WatchHour,
  WatchReport,
} from "../../model/report.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import type { Tweet } from "../../model/tweet.ts";
import { ownValue } from "../../model/own-value.ts";
import { tweetUrl } from "../../render/text/permalink.ts";
import { spellTime } from "../../render/text/times.ts";
import { yieldToEventLoop } from "../../runtime/yield-to-event-loop.ts";

export interface ReportDeps {
  readonly store: Pick<History, "findEvents"> & ReportStore & Pick<WatchStore, "listWatches">;
  readonly linksHost: string;
  readonly retentionMs: number;
}

export interface ReportRequest
  extends Pick<ReportConfig, "title" | "watches" | "by" | "top" | "timezone"> {
  /** Null for one that is not configured. */
  readonly name: string | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Their bodies take some milliseconds to read. */
const EVENTS_AT_ONCE = 100;
/** A label with more values shows the most frequent ones. */
const MAX_SHARES = 6;

export async function buildReport(deps: ReportDeps, request: ReportRequest): Promise<ReportView> {
  const { store, linksHost } = deps;
  const { fromMs, toMs, watches, top, by, timezone } = request;
  const beforeMs = fromMs - (toMs - fromMs);
  const tally = new Tally(request);
  await readEvents(store, request, beforeMs, (record) => tally.add(record));
  const states = new Map((await store.listWatches()).map((state) => [state.id, state]));
  const hours = await store.watchHours(floorHour(beforeMs), toMs);
  const firstHourMs = await store.firstWatchHour();
  const isKept = request.nowMs - beforeMs <= deps.retentionMs;
  const period = { since: isoTime(fromMs), until: isoTime(toMs) };
  const lone = watches.length === 1 && watches[0] !== undefined ? { watch: watches[0] } : {};
  return {
    name: request.name,
    title: request.title,
    from: period.since,
    to: period.until,
    timezone,
    watches: watches.map((watch): WatchReport => {
      const state = states.get(watch);
      const isWhole = isKept && state !== undefined && state.registeredAtMs <= beforeMs;
      const own = hours.filter(({ watchKey }) => watchKey === state?.key);
      const areCounted = isWhole && firstHourMs !== null && firstHourMs <= beforeMs;
      const compared = (value: (hour: WatchHour) => number) => ({
        count: sumOf(own.filter(({ hourMs }) => hourMs >= floorHour(fromMs)).map(value)),
        before: areCounted
          ? sumOf(own.filter(({ hourMs }) => hourMs < floorHour(fromMs)).map(value))
          : null,
      });
      return {
        watch,
        read: compared(({ read }) => read),
        filtered: compared(({ filtered }) => filtered),
        alerted: {
          count: tally.alerts.get(watch) ?? 0,
          before: isWhole ? (tally.before.get(watch) ?? 0) : null,
          events: { watch, ...period },
        },
        days: daysOf(request).map((day) => ({
          day,
          count: tally.days.get(`${watch}\n${day}`) ?? 0,
        })),
      };
    }),
    top_authors: highest(tally.authors, top).map(([handle, { name, count }]) => ({
      handle,
      name,
      alerted: { count, events: { ...lone, author: handle, ...period } },
    })),
    top_posts: topPosts(tally.posts, top, linksHost),
    shares: by.map((label) => ({
      label,
      values: highest(tally.shares.get(label) ?? new Map<string, Counted>(), MAX_SHARES).map(
        ([value, { count }]) => ({ value, count }),
      ),
    })),
    deleted: stateCount(tally, "deleted", { ...lone, ...period }),
    silenced: stateCount(tally, "silenced", { ...lone, ...period }),
    given_up: stateCount(tally, "dead", { ...lone, ...period }),
  };
}

/** Reads the events of the period and of the period before it. */
async function readEvents(
  store: ReportDeps["store"],
  { watches, toMs }: ReportRequest,
  sinceMs: number,
  onRecord: (record: EventRecord) => void,
): Promise<void> {
  const [only] = watches;
  const query = {
    sinceMs,
    untilMs: toMs,
    limit: EVENTS_AT_ONCE,
    ...(watches.length === 1 && only !== undefined ? { watch: only } : {}),
  };
  let before: string | undefined;
  do {
    const page = await store.findEvents({ ...query, ...(before === undefined ? {} : { before }) });
    for (const record of page.events) onRecord(record);
    before = page.next ?? undefined;
    await yieldToEventLoop();
  } while (before !== undefined);
}

interface Counted {
  readonly name: string;
  count: number;
}

interface SeenPost {
  readonly tweet: Tweet;
  readonly seenAtMs: number;
}

/** Records come newest first. */
class Tally {
  readonly alerts = new Map<string, number>();
  readonly before = new Map<string, number>();
  readonly days = new Map<string, number>();
  readonly authors = new Map<string, Counted>();
  readonly posts = new Map<string, SeenPost>();
  readonly shares = new Map<string, Map<string, Counted>>();
  readonly states = new Map<string, number>();
  readonly #request: ReportRequest;
  readonly #watches: ReadonlySet<string>;

  constructor(request: ReportRequest) {
    this.#request = request;
    this.#watches = new Set(request.watches);
  }

  add({ event, deliveries }: EventRecord): void {
    const { fromMs, by, timezone } = this.#request;
    // Alerts of the daemon itself may name a watch, too.
    if (event.watchType === "daemon" || !this.#watches.has(event.watch)) return;
    if (event.detectedAtMs < fromMs) return raise(this.before, event.watch);
    raise(this.alerts, event.watch);
    raise(this.days, `${event.watch}\n${spellTime(event.detectedAtMs, { timezone }, "date")}`);
    for (const state of new Set(deliveries.map(({ state: one }) => one))) raise(this.states, state);
    this.#addAuthor(event);
    for (const label of by) {
      const values = this.shares.get(label) ?? new Map<string, Counted>();
      this.shares.set(label, values);
      count(values, ownValue(event.labels, label) || "none", "");
    }
    const { tweet } = event.body;
    if (tweet === undefined || event.type === "tweet.deleted" || this.posts.has(tweet.id)) return;
    this.posts.set(tweet.id, { tweet, seenAtMs: event.detectedAtMs });
  }

  #addAuthor({ body }: ChirpEvent): void {
    const user = body.tweet?.user ?? body.user;
    if (user !== undefined && user.username !== "")
      count(this.authors, user.username, user.display_name || user.username);
  }
}

const raise = (counts: Map<string, number>, key: string): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1);

function count(counts: Map<string, Counted>, key: string, name: string): void {
  const known = counts.get(key) ?? { name, count: 0 };
  known.count += 1;
  counts.set(key, known);
}

const highest = (
  counts: ReadonlyMap<string, Counted>,
  most: number,
): readonly (readonly [string, Counted])[] =>
  [...counts].sort(([, a], [, b]) => b.count - a.count).slice(0, most);

function topPosts(
  posts: ReadonlyMap<string, SeenPost>,
  top: number,
  linksHost: string,
): ReportView["top_posts"] {
  const weight = ({ tweet }: SeenPost) =>
    tweet.likes_count + tweet.retweet_count + tweet.quote_count + tweet.reply_count;
  const sorted = [...posts.values()].sort((a, b) => weight(b) - weight(a)).slice(0, top);
  return sorted.map(({ tweet, seenAtMs }) => ({
    id: tweet.id,
    author: tweet.user.username,
    text: tweet.full_text,
    url: tweetUrl(linksHost, tweet.user.username, tweet.id),
    likes: tweet.likes_count,
    reposts: tweet.retweet_count + tweet.quote_count,
    replies: tweet.reply_count,
    seen_at: isoTime(seenAtMs),
  }));
}

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
