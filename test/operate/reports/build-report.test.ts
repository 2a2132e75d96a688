/**
 * Tests reports over the real store: their sums and comparisons, and that a scheduled report goes
 * out once.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildReport, type ReportRequest } from "../../../src/operate/reports/build-report.ts";
import { startReports } from "../../../src/operate/reports/scheduled-reports.ts";
import type { Config } from "../../../src/config/config.ts";
import type { ChirpEvent } from "../../../src/model/event.ts";
import type { ReportConfig } from "../../../src/model/report.ts";
import { reportLines, reportTitle } from "../../../src/render/report-text.ts";
import { openStore, type OpenedStore } from "../../../src/state/open.ts";
import { makeEmptyState } from "../../support/empty-state.ts";
import { makeEvent, makeTweet, makeUser } from "../../support/make-event.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Monday at 09:00. */
const NOW_MS = Date.UTC(2026, 10, 30, 9);
const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const hash = (text: string) => text.slice(-60);

let clock: VirtualClock;
let store: OpenedStore;
let folder: string;

beforeEach(async () => {
  folder = makeEmptyState();
  clock = createVirtualClock(NOW_MS - 20 * DAY);
  store = await openStore({
    path: join(folder, "state.db"),
    clock,
    random: createSeededRandom(2),
    log,
  });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const post = (n: number, atMs: number, likes = 0): ChirpEvent => {
  const id = String(1_000 + n);
  const tweet = {
    ...makeTweet(id, `post ${n}`),
    likes_count: likes,
    user: makeUser(String(n % 2)),
  };
  const labels = { watch: "w", lang: n % 4 === 0 ? "de" : "en" };
  return makeEvent(id, {
    watch: "w",
    watchKey: "",
    labels,
    body: { tweet },
    occurredAtMs: atMs,
    detectedAtMs: atMs,
  });
};

async function commit(events: readonly ChirpEvent[], sinks: readonly string[] = ["chat"]) {
  const deliveries = events.flatMap(({ id, detectedAtMs: notBeforeMs }) =>
    sinks.map((sink) => ({
      eventId: id,
      sink,
      groupKey: id,
      groupWaitMs: 0,
      groupIntervalMs: 0,
      notBeforeMs,
    })),
  );
  await store.commitPoll({ atMs: clock.now(), targets: [], verdicts: [], events, deliveries });
}

const request = (changes: Partial<ReportRequest> = {}): ReportRequest => ({
  ...{ name: null, title: "w", watches: ["w"], by: ["lang"], top: 2, timezone: "UTC" },
  ...{ fromMs: NOW_MS - 7 * DAY, toMs: NOW_MS, nowMs: NOW_MS },
  ...changes,
});
const build = (changes: Partial<ReportRequest> = {}) =>
  buildReport({ store, linksHost: "https://x.com", retentionMs: 90 * DAY }, request(changes));

describe("a report", () => {
  it("counts the alerts of its time by day, author and label, and names how `events` lists them", async () => {
    await commit([0, 1, 2, 3, 4, 5].map((n) => post(n, NOW_MS - (n + 1) * DAY + HOUR, n * 10)));
    await commit([post(6, NOW_MS - 8 * DAY)]);
    const report = await build();
    expect(report.watches).toMatchObject([{ watch: "w", alerted: { count: 6, before: null } }]);
    expect(report.watches[0]?.alerted.events).toEqual({
      watch: "w",
      alerts: "true",
      since: "2026-11-23T09:00:00.000Z",
      until: "2026-11-30T09:00:00.000Z",
    });
    expect(report.watches[0]?.days.reduce((sum, { count }) => sum + count, 0)).toBe(6);
    expect(report.top_posts.map(({ likes }) => likes)).toEqual([50, 40]);
    expect(report.top_authors.map(({ alerted }) => alerted.count)).toEqual([3, 3]);
    expect(report.shares).toEqual([
      {
        label: "lang",
        count: 6,
        values: [
          { value: "en", count: 4 },
          { value: "de", count: 2 },
        ],
      },
    ]);
  });

  it("gives no number of read items for a watch of values", async () => {
    await commit([post(0, NOW_MS - HOUR), post(1, NOW_MS - HOUR)]);
    const state = { key: "k", id: "w", type: "profile", registeredAtMs: NOW_MS, paused: false };
    const states = [{ ...state, accounts: {}, targets: [], knownItems: 1 }];
    const values = { ...store, listWatches: async () => states };
    const deps = { store: values, linksHost: "https://x.com", retentionMs: 90 * DAY };
    const report = await buildReport(deps, request());
    expect(report.watches[0]).toMatchObject({ read: null, filtered: null });
    expect(reportLines(report)[0]).toMatch(/^[▁█]+ {2}w: 2 alerts$/);
  });

  it("is at most 25 lines in a chat, whatever it is about", async () => {
    const watches = Array.from({ length: 30 }, (_, n) => `watch-${n}`);
    await commit([0, 1, 2, 3, 4, 5, 6, 7].map((n) => post(n, NOW_MS - HOUR, n)));
    const report = await build({
      watches: ["w", ...watches],
      by: ["lang", "watch", "author", "team"],
      top: 20,
    });
    const lines = [reportTitle(report), ...reportLines(report)];
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines[0]).toBe("w · 23 Nov 09:00 to 30 Nov 09:00 UTC");
    expect(lines).toContain("and 23 more watches");
  });
});

describe("the message of a report", () => {
  it("explains its brackets where there are some, and tears no number from its sign", async () => {
    await commit([post(0, NOW_MS - HOUR, 7), post(1, NOW_MS - 8 * DAY)]);
    const lines = reportLines(await build());
    expect(lines.join("\n")).toContain("♥\u00a07");
    const said = lines.indexOf("In brackets: the change from the period before");
    expect(said).toBe(lines.some((line) => /\((?:same|[+−]\d+)\)/.test(line)) ? 1 : -1);
  });
});

describe("a scheduled report", () => {
  const weekly = (nextAtMs: (atMs: number) => number): ReportConfig => ({
    ...{
      name: "weekly",
      title: "Weekly",
      watches: ["w"],
      by: [],
      top: 5,
      timezone: "UTC",
      sinks: ["chat"],
    },
    nextAtMs,
  });
  const reports = async () =>
    (await store.findEvents({ limit: 50 })).events.filter(
      ({ event }) => event.type === "report.created",
    );

  /** A report is made over several turns of the event loop. */
  const pass = async (ms: number) => {
    await clock.advance(ms);
    for (let turn = 0; turn < 30; turn += 1) await clock.advance(1_000);
  };

  it("goes out once for each of its times, and once for those that were missed", async () => {
    const everyDay = weekly((atMs) => (Math.floor(atMs / DAY) + 1) * DAY);
    const config = () =>
      ({
        reports: [everyDay],
        linksHost: "https://x.com",
        state: { retentionMs: 90 * DAY },
      }) as unknown as Config;
    const start = () => startReports({ store, clock, hash, log, config, wakeDelivery: () => {} });
    const first = start();
    await pass(DAY);
    expect(await reports()).toHaveLength(1);
    first();
    const second = start();
    await pass(HOUR);
    expect(await reports()).toHaveLength(1);
    second();
    await pass(3 * DAY);
    const third = start();
    await pass(HOUR);
    third();
    const found = await reports();
    expect(found).toHaveLength(2);
    expect(found[0]?.event.body["report"]).toMatchObject({
      from: "2026-11-11T00:00:00.000Z",
      to: "2026-11-14T00:00:00.000Z",
    });
    expect(found[0]?.deliveries.map(({ sink }) => sink)).toEqual(["chat"]);
  });

  it("covers each time once, where the daemon is killed right after a report was stored and is away over the next time", async () => {
    const everyDay = weekly((atMs) => (Math.floor(atMs / DAY) + 1) * DAY);
    const config = () =>
      ({
        reports: [everyDay],
        linksHost: "https://x.com",
        state: { retentionMs: 90 * DAY },
      }) as unknown as Config;
    let isCut = false;
    const commitPoll: OpenedStore["commitPoll"] = async (update) => {
      const result = await store.commitPoll(update);
      isCut = true;
      return result;
    };
    const writeNote: OpenedStore["writeNote"] = (name, value) =>
      isCut ? new Promise(() => {}) : store.writeNote(name, value);
    const cut = Object.assign(Object.create(store) as OpenedStore, { commitPoll, writeNote });
    const killed = startReports({ store: cut, clock, hash, log, config, wakeDelivery: () => {} });
    await pass(DAY);
    killed();
    await pass(2 * DAY);
    const next = startReports({ store, clock, hash, log, config, wakeDelivery: () => {} });
    await pass(HOUR);
    next();
    const periods = (await reports())
      .map(({ event }) => event.body["report"] as { readonly from: string; readonly to: string })
      .reverse();
    expect(periods).toHaveLength(2);
    expect(periods[1]?.from).toBe(periods[0]?.to);
  });
});
