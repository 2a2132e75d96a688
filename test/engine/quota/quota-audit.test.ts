/** Tests the ledger against the service's own count, in virtual time, with a real ledger. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { quotaPeriod } from "../../../src/budget/quota-period.ts";
import type { OpsAlert } from "../../../src/model/ops-alerts.ts";
import { AuditReadings } from "../../../src/engine/quota/audit-readings.ts";
import { QuotaAudit } from "../../../src/engine/quota/quota-audit.ts";
import { type Share, WHOLE } from "../../../src/model/replicas.ts";
import type { Log } from "../../../src/model/log.ts";
import type { Meter } from "../../../src/model/meter.ts";
import { UpstreamError } from "../../../src/model/upstream.ts";
import type { OpenedStore } from "../../../src/state/open.ts";
import { openTemp, rememberingLog, memoryStatePath } from "../../state/temp-state.ts";
import { createRecordedOpsAlerts } from "../../support/recorded-ops-alerts.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 2, 20, 12);
const CALENDAR = { resetDay: 1, timezone: "UTC" };

let clock: VirtualClock;
let store: OpenedStore;
let path: string;
let opsAlerts: OpsAlert[];
let gauges: Map<string, number>;
/** The remaining requests of each key, or whatever else the service answers. */
let service: Map<string, unknown>;
let audit: QuotaAudit;
let readings: AuditReadings;
let asked: string[];
/** The text of the active key. */
let text: string;

const meter: Meter = {
  count: () => undefined,
  observe: () => undefined,
  set: (name, value, labels) => void gauges.set(`${name} ${labels?.["key"] ?? ""}`, value),
};

function makeAudit(
  log: Log = rememberingLog(),
  share: Pick<Share, "isLeading"> = WHOLE,
): QuotaAudit {
  readings = new AuditReadings(() => quotaPeriod(clock.now(), CALENDAR));
  return new QuotaAudit({
    readings,
    ledger: store,
    notes: store,
    opsAlerts: createRecordedOpsAlerts(store, clock, (alert) => void opsAlerts.push(alert)),
    share,
    clock,
    log,
    meter,
    keys: () => [...service.keys()],
    fingerprint: () => text,
    async remaining(key) {
      asked.push(key);
      const value = service.get(key);
      if (value instanceof Error) throw value;
      return value;
    },
    retentionMs: () => 90 * DAY,
    onChecked: async () => undefined,
  });
}

beforeEach(async () => {
  clock = createVirtualClock(START);
  path = memoryStatePath();
  store = await openTemp(path);
  opsAlerts = [];
  gauges = new Map();
  asked = [];
  text = "first";
  service = new Map([["main", 1_000]]);
  audit = makeAudit();
});
afterEach(() => audit.stop());

/** Sends `count` requests with a key, answered at once. The service bills them by default. */
async function spend(
  count: number,
  { key = "main", status = 200, isBilled = true } = {},
): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const atMs = clock.now();
    const rate = { count: 1_000_000, intervalMs: 1_000 };
    const grant = await store.reserve({
      endpoint: "e",
      watch: "w",
      billed: true,
      atMs,
      rate,
      holdMs: 31_000,
      keys: [{ key }],
    });
    if (grant.kind !== "granted") throw new Error(grant.kind);
    await store.settle(grant.ledgerId, atMs, status);
  }
  if (isBilled) service.set(key, Number(service.get(key)) - count);
}

const drift = (key = "main") => gauges.get(`chirpwatch_quota_drift_requests ${key}`);

it("asks at the start and every 15 minutes, and learns the limit from it", async () => {
  await audit.start();
  await clock.advance(MINUTE);
  expect(asked).toHaveLength(1);
  expect(readings.limitOf("main")).toBe(1_000);
  await spend(40);
  await clock.advance(15 * MINUTE);
  expect(asked).toHaveLength(2);
  expect(readings.limitOf("main")).toBe(1_000);
  expect(drift()).toBe(0);
  expect(opsAlerts).toEqual([]);
});

it("raises the alarm once a period when the service counted more, and says by how many", async () => {
  await audit.start();
  await clock.advance(MINUTE);
  await spend(20);
  service.set("main", Number(service.get("main")) - 7);
  await clock.advance(15 * MINUTE);
  expect(drift()).toBe(7);
  expect(readings.driftRequests).toBe(7);
  service.set("main", Number(service.get("main")) - 3);
  await clock.advance(15 * MINUTE);
  expect(drift()).toBe(10);
  expect(opsAlerts).toHaveLength(1);
  expect(opsAlerts[0]).toMatchObject({
    type: "quota.drift",
    severity: "warning",
    facts: { key: "main", drift: 7 },
  });
  expect(opsAlerts[0]?.message).toContain("7 requests more of the key main");
  // The limit is the number of requests that can really be spent.
  expect(readings.limitOf("main")).toBe(990);
});

it("says nothing of failed requests, whether they are billed or not, nor of those under way", async () => {
  await audit.start();
  await clock.advance(MINUTE);
  await spend(5, { status: 500, isBilled: true });
  await spend(5, { status: 503, isBilled: false });
  await spend(30);
  await clock.advance(15 * MINUTE - 500);
  await spend(4, { isBilled: false });
  await clock.advance(MINUTE);
  service.set("main", Number(service.get("main")) - 4);
  await clock.advance(15 * MINUTE);
  expect(drift()).toBe(0);
  expect(opsAlerts).toEqual([]);
});

it("compares over a downtime too, and reports nothing again after a restart", async () => {
  await audit.start();
  await clock.advance(MINUTE);
  await spend(10);
  audit.stop();
  await clock.advance(DAY);
  service.set("main", Number(service.get("main")) - 25);
  audit = makeAudit();
  await audit.start();
  await clock.advance(MINUTE);
  expect(drift()).toBe(25);
  expect(opsAlerts).toHaveLength(1);
  audit.stop();
  audit = makeAudit();
  await audit.start();
  service.set("main", Number(service.get("main")) - 5);
  await clock.advance(30 * MINUTE);
  expect(drift()).toBe(30);
  expect(opsAlerts).toHaveLength(1);
});

it.each([
  ["nothing", undefined],
  ["null", null],
  ["text", "plenty"],
  ["a negative number", -1],
  ["an error", new Error("no answer")],
])("takes %s for unknown: no limit, no drift, and asks again soon", async (_name, odd) => {
  service.set("main", odd);
  await audit.start();
  await clock.advance(30_000);
  expect(readings.limitOf("main")).toBeUndefined();
  expect(drift()).toBeUndefined();
  service.set("main", 500);
  await clock.advance(MINUTE);
  expect(readings.limitOf("main")).toBe(500);
  service.set("main", odd);
  await clock.advance(15 * MINUTE);
  expect(readings.limitOf("main")).toBe(500);
  expect(opsAlerts).toEqual([]);
});

it("waits while the service's figure stands still, and compares over the longer span", async () => {
  await audit.start();
  await clock.advance(MINUTE);
  await spend(10, { isBilled: false });
  await clock.advance(15 * MINUTE);
  await spend(10, { isBilled: false });
  service.set("main", 980);
  await clock.advance(15 * MINUTE);
  expect(drift()).toBe(0);
  expect(opsAlerts).toEqual([]);
});

it("begins anew when the figure goes up and when the period ends", async () => {
  await audit.start();
  await clock.advance(MINUTE);
  await spend(100);
  service.set("main", 5_000);
  await clock.advance(15 * MINUTE);
  expect(drift()).toBe(0);
  expect(readings.limitOf("main")).toBe(5_100);
  const before = asked.length;
  await clock.advanceTo(Date.UTC(2026, 3, 1) - 1);
  service.set("main", 900);
  await clock.advanceTo(Date.UTC(2026, 3, 1) + MINUTE + 2_000);
  expect(asked.length).toBeGreaterThan(before);
  expect(readings.limitOf("main")).toBe(900);
  expect(drift()).toBe(0);
  expect(opsAlerts).toEqual([]);
});

it("asks again a minute after a refusal, which is early enough for a figure of the hour, and later when the service wants that", async () => {
  service.set(
    "main",
    new UpstreamError("rate_limited", "too many requests", 429, { retry: { afterMs: 5_000 } }),
  );
  await audit.start();
  await clock.advance(59_000);
  expect(asked.length).toBe(1);
  service.set(
    "main",
    new UpstreamError("rate_limited", "too many requests", 429, { retry: { afterMs: 4 * MINUTE } }),
  );
  await clock.advance(2_000);
  expect(asked.length).toBe(2);
  await clock.advance(3 * MINUTE);
  expect(asked.length).toBe(2);
  await clock.advance(2 * MINUTE);
  expect(asked.length).toBe(3);
});

it("takes another key under the same name for no drift, and sees what someone spends of that one", async () => {
  await audit.start();
  await clock.advance(MINUTE);
  await spend(10);
  text = "second";
  service.set("main", 300);
  await clock.advance(15 * MINUTE);
  expect(opsAlerts).toEqual([]);
  expect(readings.driftRequests).toBe(0);
  expect(readings.limitOf("main")).toBe(310);
  await spend(10);
  service.set("main", Number(service.get("main")) - 7);
  await clock.advance(15 * MINUTE);
  expect(readings.driftRequests).toBe(7);
});

it("keeps the books of several keys apart", async () => {
  service.set("second", 300);
  await audit.start();
  await clock.advance(MINUTE);
  await spend(10);
  await spend(20, { key: "second" });
  service.set("second", Number(service.get("second")) - 2);
  await clock.advance(15 * MINUTE);
  expect([drift("main"), drift("second")]).toEqual([0, 2]);
  expect([readings.limitOf("main"), readings.limitOf("second")]).toEqual([1_000, 298]);
  expect(opsAlerts.map(({ facts }) => facts?.["key"])).toEqual(["second"]);
});

/** Sends four requests a minute. */
async function work(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await spend(4);
    await clock.advance(MINUTE);
  }
}

it.each([
  ["forwards by two hours", [2 * HOUR]],
  ["backwards by two hours", [-2 * HOUR]],
  ["backwards by ten minutes", [-10 * MINUTE]],
  ["forwards by two hours, and back", [2 * HOUR, -2 * HOUR]],
])(
  "takes a clock that jumps %s for no drift, and sees a real one all the same",
  async (_name, jumps) => {
    service.set("main", 10_000);
    await audit.start();
    await work(37);
    for (const jumpMs of jumps) {
      clock.jump(jumpMs);
      await work(22);
    }
    await work(4 * 60);
    expect(opsAlerts).toEqual([]);
    expect(readings.driftRequests).toBe(0);
    clock.jump(-2 * HOUR);
    await work(5);
    service.set("main", Number(service.get("main")) - 7);
    await work(30);
    expect(opsAlerts).toHaveLength(1);
    expect(readings.driftRequests).toBe(7);
  },
);

it("sums up what it found before a jump, and compares over one that came with a restart", async () => {
  await audit.start();
  await clock.advance(30_000);
  await work(5);
  service.set("main", Number(service.get("main")) - 7);
  await work(15);
  expect(readings.driftRequests).toBe(7);
  audit.stop();
  clock.jump(-3 * HOUR);
  service.set("main", Number(service.get("main")) - 5);
  audit = makeAudit();
  await clock.advance(30_000);
  await audit.start();
  await clock.advance(30_000);
  await work(2);
  expect(readings.driftRequests).toBe(12);
  expect(opsAlerts).toHaveLength(1);
});

it("says and writes nothing more once it was stopped, whatever comes back then", async () => {
  const log = rememberingLog();
  service.set("main", new Error("the connection broke"));
  audit = makeAudit(log);
  await audit.start();
  audit.stop();
  await clock.advance(HOUR);
  expect(asked).toHaveLength(1);
  expect(log.lines).toEqual([]);
  expect(clock.pending()).toBe(0);
});

it("asks in the replica that leads, and reads in the others what that one learned", async () => {
  await audit.start();
  await clock.advance(MINUTE);
  audit.stop();
  expect(asked).toHaveLength(1);
  let isLeading = false;
  const other = makeAudit(rememberingLog(), { isLeading: () => isLeading });
  await other.start();
  await other.check();
  expect(readings.limitOf("main")).toBe(1_000);
  service.set("main", 500);
  await clock.advance(HOUR);
  expect(asked).toHaveLength(1);
  isLeading = true;
  await clock.advance(MINUTE);
  expect(asked).toHaveLength(2);
  other.stop();
});
