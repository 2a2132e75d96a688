import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUpstreamPacer, type RequestFailure } from "../../src/budget/upstream-pacer.ts";
import type { UpstreamFailure } from "../../src/model/upstream.ts";

const HOUR = 3_600_000;
const pacerWith = (float: () => number = () => 0.5) =>
  createUpstreamPacer({ float, id: () => "id" });
const failure = (
  kind: UpstreamFailure,
  nowMs: number,
  change: Partial<RequestFailure> = {},
): RequestFailure => ({
  source: "a",
  key: "",
  kind,
  retry: "later",
  sentAtMs: nowMs,
  nowMs,
  ...change,
});
const retryAt = (advice: { readonly kind: string; readonly atMs?: number }): number => {
  expect(advice.kind).toBe("retry");
  return advice.atMs ?? Number.NaN;
};

describe("after a 429", () => {
  it("fault 1: the request goes again after about a second", () => {
    const pacer = pacerWith();
    const atMs = retryAt(pacer.failed(failure("rate_limited", 1_000)));
    expect(atMs).toBeGreaterThanOrEqual(2_000);
    expect(atMs).toBeLessThanOrEqual(2_250);
    expect(pacer.admit("a", atMs - 1)).toEqual({
      kind: "wait",
      untilMs: atMs,
      because: "throttled",
    });
    expect(pacer.admit("a", atMs)).toEqual({ kind: "go" });
  });

  it("fault 2: all sources share one pause, which grows from the third refusal on and is seen in the status", () => {
    const pacer = pacerWith(() => 0);
    const pauses: number[] = [];
    for (let i = 0, nowMs = 0; i < 12; i += 1) {
      const untilMs = retryAt(pacer.failed(failure("rate_limited", nowMs)));
      expect(pacer.admit("another source", untilMs - 1)).toMatchObject({
        kind: "wait",
        because: "throttled",
      });
      expect(pacer.status(nowMs)).toEqual({ kind: "throttled", untilMs });
      pauses.push(untilMs - nowMs);
      nowMs = untilMs;
    }
    expect(pauses.map((pauseMs) => pauseMs / 1_000)).toEqual([
      1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300,
    ]);
  });

  it("counts the refusals of requests that were under way as one", () => {
    const pacer = pacerWith(() => 0);
    for (let i = 0; i < 20; i += 1)
      pacer.failed(failure("rate_limited", 100 + i, { source: `s${i}`, sentAtMs: 0 }));
    expect(pacer.status(120)).toEqual({ kind: "throttled", untilMs: 1_100 });
  });

  it("honours Retry-After, also when the pause has begun", () => {
    const pacer = pacerWith(() => 0);
    pacer.failed(failure("rate_limited", 0));
    expect(
      retryAt(
        pacer.failed(failure("rate_limited", 10, { sentAtMs: -5, retry: { afterMs: 30_000 } })),
      ),
    ).toBe(30_010);
  });

  it("keeps at most five minutes of a Retry-After, and a second of none, of a past one and of a negative one", () => {
    const waitOf = (afterMs: number) =>
      retryAt(pacerWith(() => 0.9).failed(failure("rate_limited", 0, { retry: { afterMs } })));
    expect(waitOf(9_999_999_000)).toBe(300_000);
    for (const afterMs of [0, -3_600_000]) expect(waitOf(afterMs)).toBe(1_225);
    const down = pacerWith(() => 0);
    expect(
      retryAt(down.failed(failure("transient", 0, { retry: { afterMs: 9_999_999_000 } }))),
    ).toBe(300_000);
  });

  it("tries at once where somebody acts, once, and goes on to wait longer where that is refused", () => {
    const pacer = pacerWith(() => 0);
    for (const nowMs of [0, 100_000])
      pacer.failed(failure("rate_limited", nowMs, { retry: { afterMs: 100_000 } }));
    pacer.tryAtOnce(110_000);
    expect(pacer.admit("a", 110_000)).toEqual({ kind: "go" });
    pacer.sending("", 110_000);
    expect(pacer.admit("b", 110_001)).toMatchObject({ kind: "wait", because: "throttled" });
    expect(
      retryAt(
        pacer.failed(
          failure("rate_limited", 110_100, { sentAtMs: 110_000, retry: { afterMs: 100_000 } }),
        ),
      ),
    ).toBe(310_100);
  });

  it("tries an outage and its sources at once where somebody acts", () => {
    const pacer = pacerWith(() => 0);
    for (const source of ["a", "b", "c"])
      pacer.failed(failure("transient", 0, { source, retry: { afterMs: 200_000 } }));
    pacer.tryAtOnce(10);
    expect(pacer.admit("a", 10)).toEqual({ kind: "go" });
    expect(pacer.admit("b", 10)).toMatchObject({ kind: "wait", because: "down" });
  });

  it("sends one request as a trial when the pause is over, and the others when it was answered, failed otherwise or took too long", () => {
    const start = () => {
      const pacer = pacerWith(() => 0);
      pacer.failed(failure("rate_limited", 0));
      pacer.sending("", 1_000);
      expect(pacer.admit("b", 1_001)).toEqual({
        kind: "wait",
        untilMs: 6_000,
        because: "throttled",
      });
      expect(pacer.isTrying).toBe(true);
      return pacer;
    };
    const answered = start();
    answered.succeeded("a", "", 1_000);
    expect([answered.admit("b", 1_100), answered.isTrying]).toEqual([{ kind: "go" }, false]);
    const notFound = start();
    notFound.failed(failure("not_found", 1_100, { sentAtMs: 1_000 }));
    expect(notFound.admit("b", 1_100)).toEqual({ kind: "go" });
    const broken = start();
    broken.failed(failure("transient", 1_100, { sentAtMs: 1_000 }));
    expect(broken.admit("b", 1_100)).toEqual({ kind: "go" });
    expect(start().admit("b", 6_000)).toEqual({ kind: "go" });
    const refused = start();
    refused.failed(failure("rate_limited", 1_100, { sentAtMs: 1_000 }));
    expect(refused.admit("b", 2_099)).toEqual({
      kind: "wait",
      untilMs: 2_100,
      because: "throttled",
    });
    expect(refused.isTrying).toBe(false);
  });

  it("begins at a second again after a request that went well", () => {
    const pacer = pacerWith(() => 0);
    const untilMs = retryAt(pacer.failed(failure("rate_limited", 0)));
    pacer.succeeded("b", "", untilMs - 500);
    const againMs = retryAt(pacer.failed(failure("rate_limited", untilMs)));
    expect(retryAt(pacer.failed(failure("rate_limited", againMs))) - againMs).toBe(2_000);
    pacer.succeeded("b", "", 10_000);
    expect(retryAt(pacer.failed(failure("rate_limited", 10_000)))).toBe(11_000);
  });
});

describe("a 429 of one key of several", () => {
  const pair = () => createUpstreamPacer({ float: () => 0, id: () => "id" }, () => ["x", "y"]);

  it("pauses that key alone, and everyone once all keys wait, until the first may go again", () => {
    const pacer = pair();
    expect(
      retryAt(pacer.failed(failure("rate_limited", 0, { key: "x", retry: { afterMs: 30_000 } }))),
    ).toBe(0);
    expect(pacer.paysAgainAt("x")).toBe(30_000);
    expect(pacer.paysAgainAt("y")).toBeLessThan(100);
    expect(pacer.admit("a", 100)).toEqual({ kind: "go" });
    expect(pacer.status(100)).toEqual({ kind: "ok" });
    expect(retryAt(pacer.failed(failure("rate_limited", 200, { key: "y" })))).toBe(1_200);
    expect(pacer.admit("a", 300)).toEqual({ kind: "wait", untilMs: 1_200, because: "throttled" });
    expect(pacer.status(300)).toEqual({ kind: "throttled", untilMs: 1_200 });
  });

  it("is over for that key only when that key was answered: the other's answers leave its pause as long as it was", () => {
    const pacer = pair();
    pacer.failed(failure("rate_limited", 0, { key: "x" }));
    pacer.succeeded("a", "y", 1_500);
    pacer.failed(failure("rate_limited", 1_000, { key: "x" }));
    pacer.failed(failure("rate_limited", 2_000, { key: "x" }));
    expect(pacer.paysAgainAt("x")).toBe(4_000);
    pacer.succeeded("a", "x", 4_500);
    pacer.failed(failure("rate_limited", 5_000, { key: "x" }));
    expect(pacer.paysAgainAt("x")).toBe(6_000);
  });
});

describe("after a failure that may pass", () => {
  it("fault 3: the first retry comes after one to two seconds", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), (float) => {
        const atMs = retryAt(pacerWith(() => float).failed(failure("transient", 0)));
        expect(atMs).toBeGreaterThanOrEqual(1_000);
        expect(atMs).toBeLessThanOrEqual(2_000);
      }),
    );
  });

  it("fault 4: the wait grows to five minutes and stays there, per source", () => {
    const pacer = pacerWith();
    const waits: number[] = [];
    for (let i = 0, nowMs = 0; i < 40; i += 1) {
      const atMs = retryAt(pacer.failed(failure("transient", nowMs)));
      waits.push(atMs - nowMs);
      nowMs = atMs;
    }
    expect(waits.slice(0, 4)).toEqual([1_500, 3_000, 6_000, 12_000]);
    expect(Math.max(...waits)).toBe(300_000);
    expect(waits.at(-1)).toBe(300_000);
    expect(pacer.admit("b", 0)).toEqual({ kind: "go" });
  });

  it("forgets the failures of a source that answered", () => {
    const pacer = pacerWith();
    pacer.failed(failure("transient", 0));
    pacer.failed(failure("transient", 2_000));
    expect(pacer.status(2_000)).toEqual({ kind: "failing", sinceMs: 0 });
    pacer.succeeded("a", "", 5_000);
    expect(pacer.status(5_000)).toEqual({ kind: "ok" });
    expect(retryAt(pacer.failed(failure("transient", 9_000)))).toBe(10_500);
  });

  it("fault 4: while the whole service is down, one request at a time is spent on finding out", () => {
    const pacer = pacerWith();
    const sources = Array.from({ length: 1_000 }, (_, i) => `s${i}`);
    let sent = 0;
    for (let nowMs = 0; nowMs < HOUR; nowMs += 1_000) {
      for (const source of sources) {
        if (pacer.admit(source, nowMs).kind !== "go") continue;
        sent += 1;
        pacer.failed(failure("transient", nowMs, { source }));
      }
    }
    expect(sent).toBeGreaterThan(12);
    expect(sent).toBeLessThan(40);
    pacer.succeeded("s1", "", HOUR);
    expect(sources.every((source) => pacer.admit(source, HOUR).kind === "go")).toBe(true);
  });

  it("does not call the service down for two bad sources", () => {
    const pacer = pacerWith();
    for (let i = 0; i < 10; i += 1)
      for (const source of ["a", "b"]) pacer.failed(failure("transient", i, { source }));
    expect(pacer.admit("c", 10)).toEqual({ kind: "go" });
  });
});

describe("when the key or the bill is the matter", () => {
  it.each(["billing", "unauthorized"] as const)(
    "fault 6, fault 7, fault 8: %s stops all polling and probes once an hour",
    (kind) => {
      const pacer = pacerWith();
      expect(pacer.failed(failure(kind, 0))).toEqual({ kind: "stop", because: kind });
      expect(pacer.admit("any", 5 * HOUR)).toEqual({ kind: "stopped", because: kind });
      expect(pacer.status(1)).toEqual({
        kind: "stopped",
        because: kind,
        sinceMs: 0,
        probeAtMs: HOUR,
      });
      const probes = Array.from({ length: 600 }, (_, minute) =>
        pacer.claimProbe(minute * 60_000),
      ).filter(Boolean);
      expect(probes).toHaveLength(9);
      pacer.resume();
      expect(pacer.admit("any", 10 * HOUR)).toEqual({ kind: "go" });
      expect(pacer.claimProbe(20 * HOUR)).toBe(false);
    },
  );

  it("keeps the first reason when requests under way fail after it", () => {
    const pacer = pacerWith();
    pacer.failed(failure("billing", 0));
    expect(pacer.failed(failure("unauthorized", 10))).toEqual({ kind: "stop", because: "billing" });
  });

  it.each(["bad_request", "forbidden", "not_found"] as const)(
    "leaves %s to the poll it belongs to",
    (kind) => {
      const pacer = pacerWith();
      pacer.failed(failure("transient", 0));
      expect(pacer.failed(failure(kind, 10))).toEqual({ kind: "give_up" });
      expect(pacer.admit("a", 10)).toEqual({ kind: "go" });
      expect(pacer.status(10)).toEqual({ kind: "ok" });
    },
  );
});
