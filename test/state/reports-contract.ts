/**
 * What every Store must do for reports, and that the sums of a report are right over it. Run it with
 * a function that makes an empty one.
 */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { ChirpEvent } from "../../src/model/event.ts";
import type { ItemVerdict } from "../../src/model/poll-store.ts";
import type { EventFilter, ReportView } from "../../src/model/report.ts";
import type { Store } from "../../src/model/store.ts";
import { buildReport } from "../../src/operate/reports/build-report.ts";
import { createDays } from "../../src/operate/reports/days.ts";
import { readEventQuery } from "../../src/server/contract/event-query.ts";
import { makeEvent, makeTweet, makeUser } from "../support/make-event.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The hour before the report is made, and half an hour. Times of some zones are no whole hours. */
const NOW_MS = Date.UTC(2026, 0, 15, 12, 30);
const WATCHES = ["a", "b", "c"];

export function describeReports(name: string, makeStore: () => Promise<Store>): void {
  describe(`reports: ${name}`, () => {
    let store: Store;
    let keys: ReadonlyMap<string, string>;

    beforeEach(async () => {
      store = await makeStore();
      const target = { key: "@x", name: "@x" };
      const states = await store.registerWatches(
        WATCHES.map((id) => ({ id, type: "timeline", targets: [target] })),
        NOW_MS - 60 * DAY_MS,
      );
      keys = new Map(states.map(({ id, key }) => [id, key]));
    });

    const keyOf = (watch: string) => keys.get(watch) ?? "";
    let next = 0;
    const read = (watch: string, atMs: number, verdicts: readonly ItemVerdict["verdict"][]) =>
      store.commitPoll({
        ...{ atMs, targets: [], events: [], deliveries: [] },
        verdicts: verdicts.map((verdict) => ({
          ...{ watchKey: keyOf(watch), targetKey: "@x", itemId: `i${(next += 1)}` },
          ...{ itemKind: "tweet", verdict, detail: "", occurredAtMs: atMs },
        })),
      });
    const alert = (watch: string, atMs: number, changes: Partial<ChirpEvent> = {}): ChirpEvent => {
      const id = `${(next += 1)}`;
      return makeEvent(id, {
        ...{ id: `e${id}`, watch, watchKey: keyOf(watch), occurredAtMs: atMs, detectedAtMs: atMs },
        ...changes,
      });
    };
    const commit = (events: readonly ChirpEvent[]) =>
      store.commitPoll({
        ...{ atMs: NOW_MS, targets: [], verdicts: [], events },
        deliveries: events.map(({ id, detectedAtMs }) => ({
          ...{ eventId: id, sink: "hook", groupKey: id, groupWaitMs: 0, groupIntervalMs: 0 },
          notBeforeMs: detectedAtMs,
        })),
      });

    test("reads are counted by watch and hour: no row for nothing, none for a baseline", async () => {
      const hourMs = NOW_MS - 30 * 60_000 - HOUR_MS;
      expect(await store.firstWatchHour()).toBeNull();
      await read("c", hourMs, ["baseline", "baseline"]);
      expect(await store.firstWatchHour()).toBeNull();
      await read("a", hourMs + 1, ["event", "filtered", "baseline"]);
      await read("a", hourMs + 2, ["event", "filtered"]);
      await read("b", hourMs + HOUR_MS - 1, ["filtered"]);
      await read("a", hourMs + HOUR_MS, ["event"]);
      await read("b", hourMs + HOUR_MS, []);
      expect(await store.firstWatchHour()).toBe(hourMs);
      const sums = (fromMs: number, toMs: number, of = WATCHES) =>
        store.watchReads(of.map(keyOf), fromMs, toMs).then((found) => Object.fromEntries(found));
      expect(await sums(hourMs, hourMs + HOUR_MS)).toEqual({
        [keyOf("a")]: { read: 4, filtered: 2 },
        [keyOf("b")]: { read: 1, filtered: 1 },
      });
      expect(await sums(hourMs + 1, hourMs + 2 * HOUR_MS)).toEqual({
        [keyOf("a")]: { read: 1, filtered: 0 },
      });
      expect(await sums(hourMs, hourMs + HOUR_MS, ["b"])).toEqual({
        [keyOf("b")]: { read: 1, filtered: 1 },
      });
      expect(await sums(0, NOW_MS, [])).toEqual({});
    });

    test("days show what each watch read, alerted and cost in them, at the edges too", async () => {
      const today = Math.floor(NOW_MS / DAY_MS) * DAY_MS;
      await read("a", today - 1, ["event", "filtered"]);
      await read("a", today, ["event"]);
      await read("b", today, ["filtered"]);
      await commit([
        alert("a", today - 1),
        alert("a", today),
        alert("b", NOW_MS),
        alert("a", today - 14 * DAY_MS),
        alert("", NOW_MS, { watchKey: "", watchType: "daemon", type: "sink.failing" }),
      ]);
      const pay = (watch: string, atMs: number) =>
        store.reserve({
          ...{ endpoint: "search", watch, billed: true, atMs, holdMs: 1 },
          rate: { count: 100, intervalMs: 1 },
        });
      await pay("a", today + 1);
      await pay("a", today + HOUR_MS);
      await pay("b", today + 2);
      const days = createDays({ store, clock: { now: () => NOW_MS } });
      const one = await days.ofWatch("a");
      expect(one?.days).toHaveLength(14);
      expect(one?.days.slice(-2)).toEqual([
        { day: "2026-01-14", read: 2, filtered: 1, alerted: 1, requests: 0 },
        { day: "2026-01-15", read: 1, filtered: 0, alerted: 1, requests: 2 },
      ]);
      expect(await days.ofWatch("nobody")).toBeUndefined();
      for (let again = 0; again < 2; again += 1) {
        const { alerts, requests } = await days.ofAll(today);
        expect(alerts).toHaveLength(30);
        expect(alerts.filter(({ count }) => count > 0)).toEqual([
          { day: "2026-01-01", count: 1 },
          { day: "2026-01-14", count: 1 },
          { day: "2026-01-15", count: 2 },
        ]);
        expect(requests).toEqual([
          { at: "2026-01-15T00:00:00.000Z", spent: 2 },
          { at: "2026-01-15T01:00:00.000Z", spent: 1 },
        ]);
      }
      const late = alert("c", today - 1);
      const ops = { watchKey: "", watchType: "daemon", type: "sink.failing" } as const;
      await commit([late, alert("", NOW_MS + 1, ops), alert("c", NOW_MS)]);
      for (let again = 0; again < 2; again += 1)
        expect((await days.ofAll(today)).alerts.at(-1)?.count).toBe(3);
    });

    test("an event is explained alone, with the verdict that led to it", async () => {
      const [first, again] = [alert("a", NOW_MS), alert("a", NOW_MS)];
      const left = alert("b", NOW_MS, { type: "follower.removed", subject: "acme/77" });
      await commit([first, again, left]);
      await store.commitPoll({
        ...{ atMs: NOW_MS, targets: [], events: [], deliveries: [] },
        verdicts: [
          {
            ...{ watchKey: keyOf("a"), targetKey: "@x", itemId: first.subject, itemKind: "tweet" },
            ...{ verdict: "event", detail: "why", occurredAtMs: NOW_MS, eventId: first.id },
          },
        ],
      });
      expect(await store.explainEvent(first.id)).toMatchObject([
        { watch: "a", target: "@x", detail: "why", event: { id: first.id } },
      ]);
      expect(await store.explainEvent(left.id)).toMatchObject([
        { watch: "b", itemId: "77", verdict: "event", event: { id: left.id } },
      ]);
      expect(await store.explainEvent("nothing")).toEqual([]);
    });

    test("heads of events come newest first, in pages, each once, as far back as asked for", async () => {
      const events = Array.from({ length: 230 }, (_, n) =>
        alert("a", NOW_MS - (230 - n) * HOUR_MS),
      );
      await commit(events.slice(0, 120));
      await commit(events.slice(120));
      const found: string[] = [];
      let before: string | null | undefined;
      do {
        const page = await store.eventHeads(NOW_MS - 230 * HOUR_MS, before ?? undefined);
        expect(page.heads.length).toBeLessThanOrEqual(100);
        found.push(...page.heads.map(({ id }) => id));
        before = page.next;
      } while (before !== null);
      expect(found).toEqual(events.map(({ id }) => id).reverse());
      const last = await store.eventHeads(NOW_MS + DAY_MS);
      expect(last.next).toBeNull();
      const [first, third] = [events[0]?.id ?? "", events[2]?.id ?? ""];
      const records = await store.eventRecords([third, "nobody", first]);
      expect(records.map(({ event }) => event.id)).toEqual([third, first]);
      expect(records[0]?.deliveries).toMatchObject([{ sink: "hook", state: "waiting" }]);
    });

    test("each number of alerts lists as many with its filter, whatever else the state holds", async () => {
      const when = fc.integer({ min: -29, max: 3 }).map((hours) => NOW_MS + hours * HOUR_MS);
      const one = fc.record({
        watch: fc.constantFrom(...WATCHES),
        atMs: when,
        by: fc.integer({ min: 0, max: 4 }),
        lang: fc.constantFrom("en", "de", undefined),
        isOps: fc.boolean(),
        isDeleted: fc.boolean(),
      });
      const chosen = fc.subarray(WATCHES, { minLength: 1 });
      const asked = fc.record({ all: fc.array(one, { maxLength: 60 }), watches: chosen });
      const [state] = fc.sample(asked, { seed: 7, numRuns: 12 }).slice(-1);
      if (state === undefined) throw new Error("nothing was drawn");
      const events = state.all.map(({ watch, atMs, by, lang, isOps }) =>
        alert(watch, atMs, {
          labels: { watch, ...(lang === undefined ? {} : { lang }) },
          body: isOps
            ? { message: "a gap" }
            : { tweet: { ...makeTweet(`${next}`), user: makeUser(`${by}`) } },
          ...(isOps ? { watchType: "daemon", watchKey: "" } : {}),
        }),
      );
      await commit(events);
      const due = await store.dueWork({
        nowMs: NOW_MS,
        sinks: ["hook"],
        busy: new Set(),
        limit: 99,
      });
      const gone = due.groups
        .flatMap(({ members }) => members)
        .filter((_, n) => n % 3 === 0)
        .map(({ deliveryId }) => deliveryId);
      if (gone.length > 0)
        await store.silenceDeliveries(gone.map((deliveryId) => ({ deliveryId, silenceId: "s" })));
      const report = await buildReport(
        { store, linksHost: "https://x.com", retentionMs: 90 * DAY_MS },
        {
          ...{ name: null, title: "x", watches: state.watches, by: ["lang"], top: 20 },
          ...{ timezone: "UTC", fromMs: NOW_MS - DAY_MS, toMs: NOW_MS, nowMs: NOW_MS },
        },
      );
      const inTime = state.all.filter(
        ({ watch, atMs, isOps }) =>
          !isOps && state.watches.includes(watch) && atMs >= NOW_MS - DAY_MS && atMs < NOW_MS,
      );
      expect(report.shares[0]?.count).toBe(inTime.length);
      expect(sum(report.shares[0]?.values.map(({ count }) => count))).toBe(inTime.length);
      expect(sum(report.watches.map(({ alerted }) => alerted.count))).toBe(inTime.length);
      expect(sum(report.watches.flatMap(({ days }) => days.map(({ count }) => count)))).toBe(
        inTime.length,
      );
      expect(sum(report.top_authors.map(({ alerted }) => alerted.count))).toBe(inTime.length);
      for (const { count, events: filter } of countsOf(report))
        expect([filter, await listed(filter)]).toEqual([filter, count]);
    });

    async function listed(filter: EventFilter): Promise<number> {
      const query = readEventQuery({ ...filter, limit: "1000" }, NOW_MS);
      if (typeof query === "string") throw new Error(query);
      return (await store.findEvents(query)).events.length;
    }

    test("consecutive reports count each hour once, and compare only what is whole", async () => {
      const report = (fromMs: number, toMs: number, nowMs = toMs + 10) =>
        buildReport(
          { store, linksHost: "https://x.com", retentionMs: 90 * DAY_MS },
          {
            ...{ name: "r", title: "r", watches: ["a"], by: [], top: 5, timezone: "UTC" },
            ...{ fromMs, toMs, nowMs },
          },
        ).then(({ watches: [own] }) => own);
      const startMs = NOW_MS - 3 * DAY_MS;
      for (let atMs = startMs; atMs < NOW_MS; atMs += 20 * 60_000)
        await read("a", atMs, ["event", "filtered"]);
      const days = [startMs, startMs + DAY_MS, startMs + 2 * DAY_MS];
      const reports = [];
      for (const fromMs of days) reports.push(await report(fromMs, fromMs + DAY_MS));
      // Each begins and ends at half past, and an hour that is not over belongs to the next one.
      expect(reports.map((one) => one?.read?.count)).toEqual([142, 144, 144]);
      expect(reports.map((one) => one?.filtered?.count)).toEqual([71, 72, 72]);
      // What was read before the first hour that was counted is not known.
      expect(reports.map((one) => one?.read?.before)).toEqual([null, 142, 144]);
      expect(reports.map((one) => one?.alerted.before)).toEqual([0, 0, 0]);
      const asked = await report(NOW_MS - DAY_MS, NOW_MS, NOW_MS);
      expect(asked?.read?.count).toBe(146);
      const tooOld = await buildReport(
        { store, linksHost: "", retentionMs: DAY_MS },
        {
          ...{ name: null, title: "", watches: ["a"], by: [], top: 5, timezone: "UTC" },
          ...{ fromMs: NOW_MS - DAY_MS, toMs: NOW_MS, nowMs: NOW_MS },
        },
      );
      expect(tooOld.watches[0]?.alerted.before).toBeNull();
    });
  });
}

const sum = (counts: readonly number[] = []): number => counts.reduce((all, one) => all + one, 0);

const countsOf = ({
  watches,
  top_authors: authors,
  deleted,
  silenced,
  given_up: dead,
}: ReportView) => [
  ...watches.map(({ alerted }) => alerted),
  ...authors.map(({ alerted }) => alerted),
  ...[deleted, silenced, dead],
];
