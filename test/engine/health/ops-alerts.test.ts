/** Tests conditions for which the operator gets one ops alert, over restarts and crashes. */
import { expect, it } from "vitest";
import { createOpsAlerts, createPublisher } from "../../../src/engine/health/ops-alerts.ts";
import type { OpsAlert, OpsAlerts } from "../../../src/model/ops-alerts.ts";
import { type Share, WHOLE } from "../../../src/model/replicas.ts";
import type { OpenedStore } from "../../../src/state/open.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { openTemp, rememberingLog, memoryStatePath } from "../../state/temp-state.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const DAY = 86_400_000;

const alert = (type: string, once?: OpsAlert["once"]): OpsAlert => ({
  type,
  subject: "brand",
  severity: "warning",
  message: `about ${type}`,
  ...(once === undefined ? {} : { once }),
});

function open(
  store: OpenedStore,
  clock: VirtualClock,
  changes: Partial<OpenedStore> = {},
  share: Pick<Share, "isAlone"> = WHOLE,
  isStorable: () => boolean = () => true,
): OpsAlerts {
  const deps = {
    store: { ...store, ...changes },
    share,
    clock,
    random: createSeededRandom(1),
    log: rememberingLog(),
  };
  const meter = { count: () => undefined, set: () => undefined, observe: () => undefined };
  const publish = createPublisher({
    ...deps,
    meter,
    hash: sha256,
    route: () => [],
    wakeDelivery: () => undefined,
  });
  return createOpsAlerts({
    ...deps,
    publish: (...args) => (isStorable() ? publish(...args) : Promise.reject(new Error("cut off"))),
  });
}

const raised = async (store: OpenedStore) =>
  (await store.recentEvents(20)).map(({ type }) => type).toReversed();

it("raises a condition once, again after it was cleared, and each end once", async () => {
  const [store, clock] = [await openTemp(memoryStatePath()), createVirtualClock(START)];
  const stalled = alert("watch.stalled", { key: "stalled:brand" });
  for (let restart = 0; restart < 2; restart += 1) {
    const opsAlerts = open(store, clock);
    await opsAlerts.raise(stalled);
    await opsAlerts.raise(stalled);
    expect(opsAlerts.lasting("stalled:")).toEqual(new Set(["brand"]));
  }
  const opsAlerts = open(store, clock);
  await opsAlerts.clear("stalled:brand", alert("watch.recovered"));
  await opsAlerts.clear("stalled:brand", alert("watch.recovered"));
  expect(opsAlerts.lasting("stalled:")).toEqual(new Set());
  await open(store, clock).raise(stalled);
  expect(await raised(store)).toEqual(["watch.stalled", "watch.recovered", "watch.stalled"]);
});

it("raises it anew when it is about something else, and by itself when its time is over", async () => {
  const [store, clock] = [await openTemp(memoryStatePath()), createVirtualClock(START)];
  const opsAlerts = open(store, clock);
  for (const about of ["anna", "anna", "anna bob", "anna bob"])
    await opsAlerts.raise(alert("list.incomplete", { key: "list", about }));
  const low = () => alert("quota.low", { key: "quota", endsAtMs: START + DAY });
  await opsAlerts.raise(low());
  await opsAlerts.raise(low());
  clock.jump(DAY);
  expect(opsAlerts.lasting("quota")).toEqual(new Set());
  await opsAlerts.raise(low());
  expect(await raised(store)).toEqual([
    "list.incomplete",
    "list.incomplete",
    "quota.low",
    "quota.low",
  ]);
});

it("stores the alert once when a crash comes before what was raised is stored", async () => {
  const [store, clock] = [await openTemp(memoryStatePath()), createVirtualClock(START)];
  const stalled = alert("watch.stalled", { key: "stalled:brand" });
  await open(store, clock, { saveLearned: () => Promise.reject(new Error("killed")) }).raise(
    stalled,
  );
  clock.jump(5_000);
  await open(store, clock).raise(stalled);
  expect(await raised(store)).toEqual(["watch.stalled"]);
});

it.each([true, false])(
  "stores what could not be stored at first, in its order and once (alone: %s)",
  async (isAlone) => {
    const [store, clock] = [await openTemp(memoryStatePath()), createVirtualClock(START)];
    let isStorable = false;
    const opsAlerts = open(store, clock, {}, { isAlone }, () => isStorable);
    const outage = alert("upstream.dark", { key: "outage" });
    const recovered = alert("upstream.recovered");
    await opsAlerts.raise(alert("watch.gap"));
    await opsAlerts.raise(outage);
    await opsAlerts.clear("outage", recovered);
    expect(opsAlerts.lasting("outage").size).toBe(0);
    isStorable = true;
    await opsAlerts.load();
    await opsAlerts.load();
    await opsAlerts.raise(outage);
    await opsAlerts.raise(outage);
    isStorable = false;
    await opsAlerts.clear("outage", recovered);
    expect(opsAlerts.lasting("outage").size).toBe(1);
    isStorable = true;
    await opsAlerts.clear("outage", recovered);
    await opsAlerts.clear("outage", recovered);
    expect(await raised(store)).toEqual(["watch.gap", "upstream.dark", "upstream.recovered"]);
  },
);

it("raises what has no end each time", async () => {
  const [store, clock] = [await openTemp(memoryStatePath()), createVirtualClock(START)];
  const opsAlerts = open(store, clock);
  await opsAlerts.raise(alert("watch.gap"));
  await opsAlerts.raise(alert("watch.gap"));
  expect(await raised(store)).toEqual(["watch.gap", "watch.gap"]);
});

it("raises with each of several replicas what another raised and cleared before", async () => {
  const [store, clock] = [await openTemp(memoryStatePath()), createVirtualClock(START)];
  const [first, second] = [1, 2].map(() => open(store, clock, {}, { isAlone: false })) as [
    OpsAlerts,
    OpsAlerts,
  ];
  const outage = alert("upstream.dark", { key: "outage" });
  await second.load();
  await first.raise(outage);
  await first.clear("outage", alert("upstream.recovered"));
  await second.raise(outage);
  await first.raise(outage);
  expect(await raised(store)).toEqual(["upstream.dark", "upstream.recovered", "upstream.dark"]);
  await first.clear("outage", alert("upstream.recovered"));
  expect(second.lasting("outage").size).toBe(1);
  await second.load();
  expect(second.lasting("outage").size).toBe(0);
});

it("clears nothing that another of several replicas may see still", async () => {
  const [store, clock] = [await openTemp(memoryStatePath()), createVirtualClock(START)];
  const [seeing, other] = [1, 2].map(() => open(store, clock, {}, { isAlone: false })) as [
    OpsAlerts,
    OpsAlerts,
  ];
  const outage = alert("upstream.dark", { key: "outage", seenForMs: 15_000 });
  for (let at = 0; at < 5; at += 1) {
    await seeing.raise(outage);
    clock.jump(5_000);
    await other.clear("outage", alert("upstream.recovered"));
  }
  expect(await raised(store)).toEqual(["upstream.dark"]);
  clock.jump(10_000);
  await other.clear("outage", alert("upstream.recovered"));
  await seeing.clear("outage", alert("upstream.recovered"));
  expect(await raised(store)).toEqual(["upstream.dark", "upstream.recovered"]);
});
