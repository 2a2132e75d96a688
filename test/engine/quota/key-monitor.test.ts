/** Tests several keys: what happens, hour by hour, to one that the service refuses. */
import { beforeEach, describe, expect, it } from "vitest";
import { createKeyRing } from "../../../src/budget/key-ring.ts";
import { type AskKey, KeyMonitor } from "../../../src/engine/quota/key-monitor.ts";
import type { OpsAlert } from "../../../src/model/ops-alerts.ts";
import type { LearnedStore } from "../../../src/model/learned.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { createLearnedInMemory } from "../../support/learned-store.ts";
import { createRecordedOpsAlerts } from "../../support/recorded-ops-alerts.ts";
import { failure } from "../../support/scripted-upstream.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let clock: VirtualClock;
let opsAlerts: OpsAlert[];
let state: LearnedStore;
let keys: string[];
/** The keys for which the service says that requests are left. */
let good: Set<string>;
let asked: string[];
let renewable: Set<string>;
let watch: KeyMonitor;

const makeWatch = (isAlone = true): KeyMonitor =>
  new KeyMonitor({
    ring: createKeyRing(),
    keys: () => keys,
    renew: async (key) => renewable.delete(key),
    opsAlerts: createRecordedOpsAlerts(state, clock, (alert) => void opsAlerts.push(alert), {
      isAlone,
    }),
    clock,
    log: rememberingLog(),
    meter: { count: () => undefined, set: () => undefined, observe: () => undefined },
  });

const ask: AskKey = async (key) => {
  asked.push(key);
  return good.has(key);
};

beforeEach(async () => {
  clock = createVirtualClock(Date.UTC(2026, 2, 2));
  opsAlerts = [];
  state = createLearnedInMemory();
  keys = ["a", "b", "c"];
  good = new Set();
  asked = [];
  renewable = new Set();
  watch = makeWatch();
  await watch.start(ask);
});

const refuse = (
  key: string,
  kind: "unauthorized" | "billing" = "billing",
  sentAtMs = clock.monotonic(),
) => watch.refused(key, failure(kind), sentAtMs);
const alerted = () => opsAlerts.map(({ type, subject }) => `${type} ${subject}`);

describe("a refused key", () => {
  it("is suspended and reported once, and the request goes out again with another", async () => {
    expect(await refuse("b")).toBe(true);
    expect(await refuse("b")).toBe(true);
    expect(watch.usable()).toEqual(["a", "c"]);
    expect(alerted()).toEqual(["key.refused b"]);
    expect(opsAlerts[0]?.message).toContain("2 other keys continue");
  });

  it("is asked about once an hour, on trial when it has requests left, and reported when it has paid", async () => {
    await refuse("b");
    await clock.advance(3 * HOUR + MINUTE);
    expect(asked).toEqual(["b", "b", "b"]);
    expect(watch.usable()).toEqual(["a", "c"]);
    good.add("b");
    await clock.advance(HOUR);
    expect(watch.usable()).toEqual(["a", "b", "c"]);
    expect(alerted()).toEqual(["key.refused b"]);
    watch.paid("b", clock.monotonic());
    watch.paid("b", clock.monotonic());
    expect(watch.suspended).toEqual([]);
    await clock.advance(1);
    expect(alerted()).toEqual(["key.refused b", "key.recovered b"]);
  });

  it("that fails its trial raises no second alert, nor after a restart", async () => {
    good.add("b");
    await refuse("b");
    await clock.advance(HOUR + MINUTE);
    await refuse("b");
    watch.stop();
    watch = makeWatch();
    await watch.start(ask);
    await refuse("b");
    expect(alerted()).toEqual(["key.refused b"]);
    watch.paid("b", clock.monotonic());
    await clock.advance(1);
    expect(alerted()).toEqual(["key.refused b", "key.recovered b"]);
  });

  it("is not reported as back by the answer to a request that was under way when it was refused", async () => {
    const sentAtMs = clock.monotonic();
    await clock.advance(100);
    await refuse("b");
    watch.paid("b", sentAtMs);
    await clock.advance(1);
    expect(watch.usable()).toEqual(["a", "c"]);
    expect(alerted()).toEqual(["key.refused b"]);
  });

  it("is taken over from its file when that holds another, for requests that were under way as well", async () => {
    renewable.add("b");
    const sentAtMs = clock.monotonic();
    await clock.advance(100);
    expect(await refuse("b", "unauthorized", sentAtMs)).toBe(true);
    expect(await refuse("b", "unauthorized", sentAtMs)).toBe(true);
    expect(watch.usable()).toEqual(keys);
    await clock.advance(100);
    expect(await refuse("b", "unauthorized")).toBe(true);
    expect(watch.usable()).toEqual(["a", "c"]);
  });

  it("that is no longer active raises no alert", async () => {
    expect(await refuse("former")).toBe(true);
    expect(alerted()).toEqual([]);
  });
});

describe("when none is left", () => {
  it("all are tried, the request fails, and the probe brings back what answers", async () => {
    await refuse("a");
    await refuse("b");
    expect(await refuse("c")).toBe(false);
    expect(opsAlerts.at(-1)?.message).toContain("no other key is left");
    expect(watch.usable()).toEqual(keys);
    expect(await watch.probe(ask)).toBe(false);
    good.add("c");
    expect(await watch.probe(ask)).toBe(true);
    expect(watch.usable()).toEqual(["c"]);
  });
});

describe("a single key", () => {
  it("is never suspended: the daemon stops as a whole", async () => {
    keys = ["a"];
    expect(await refuse("a", "unauthorized")).toBe(false);
    expect(watch.usable()).toEqual(["a"]);
    expect(alerted()).toEqual([]);
  });
});

it("forgets refusals when other keys become active", async () => {
  await refuse("a");
  watch.reset();
  expect(watch.usable()).toEqual(keys);
});

describe("a key with which requests fail that are answered with another", () => {
  const failed = new Map([["b", failure("transient")]]);
  const fail = async (times: number) => {
    for (let i = 0; i < times; i += 1) {
      watch.paid("a", clock.monotonic(), failed);
      await clock.advance(20_000);
    }
  };

  it("is suspended after some of them in a row over a minute, reported once, and asked about every five minutes", async () => {
    await fail(3);
    expect(watch.usable()).toEqual(keys);
    await fail(1);
    expect(watch.usable()).toEqual(["a", "c"]);
    expect(alerted()).toEqual(["key.refused b"]);
    expect(opsAlerts[0]?.message).toContain("fail and are answered with another");
    await clock.advance(11 * MINUTE);
    expect(asked).toEqual(["b", "b"]);
    good.add("b");
    await clock.advance(6 * MINUTE);
    expect(watch.usable()).toEqual(keys);
    await fail(4);
    expect(watch.usable()).toEqual(["a", "c"]);
    await clock.advance(6 * MINUTE);
    watch.paid("b", clock.monotonic());
    await clock.advance(1);
    expect(alerted()).toEqual(["key.refused b", "key.recovered b"]);
  });

  it("is as good as any when it paid for an answer in between", async () => {
    await fail(3);
    watch.paid("b", clock.monotonic());
    await fail(3);
    expect(watch.usable()).toEqual(keys);
    expect(alerted()).toEqual([]);
  });

  it("is better than none: it pays again when the others are refused", async () => {
    await fail(4);
    await refuse("a");
    expect(await refuse("c")).toBe(true);
    expect(watch.usable()).toEqual(["b"]);
  });
});

describe("a key that one of two replicas refuses to use", () => {
  it("is back once none of them has seen its trouble for three minutes, and not because it pays for the other", async () => {
    const [one, other] = [makeWatch(false), makeWatch(false)];
    for (const replica of [one, other]) await replica.start(ask);
    const minuteOfOther = async () => {
      await clock.advance(MINUTE);
      other.paid("b", clock.monotonic());
      await clock.advance(1);
    };
    expect(await one.refused("b", failure("unauthorized"), clock.monotonic())).toBe(true);
    await other.start(ask);
    for (let minute = 0; minute < 30; minute += 1) await minuteOfOther();
    expect(alerted()).toEqual(["key.refused b"]);
    good.add("b");
    expect(await one.probe(ask)).toBe(true);
    for (let minute = 0; minute < 3; minute += 1) await minuteOfOther();
    expect(alerted()).toEqual(["key.refused b", "key.recovered b"]);
  });
});
