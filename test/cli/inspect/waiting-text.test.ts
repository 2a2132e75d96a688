/**
 * Tests how `status` and `explain` say why alerts wait and until when, and what became of the last
 * ones.
 */
import { describe, expect, it } from "vitest";
import { formatExplanation } from "../../../src/cli/inspect/explain-text.ts";
import { pathLines } from "../../../src/cli/inspect/path-text.ts";
import { formatStatus } from "../../../src/cli/inspect/status-text.ts";
import { createWaitReader } from "../../../src/operate/alerts/waiting.ts";
import type { ExplainDelivery } from "../../../src/server/schema/explain-view.ts";
import type { WaitView } from "../../../src/server/schema/sink-view.ts";
import { NOW_MS, sinkView, statusView, watchView } from "../../server/daemon-stand-in.ts";

const held: WaitView = {
  cause: "held",
  until: "2026-03-10T18:00:00.000Z",
  reason: "held by nights",
};
const throttled: WaitView = {
  cause: "throttled",
  until: "2026-03-11T00:10:00.000Z",
  reason: "throttled (30 messages in 10m), collected for a digest",
};
const failing: WaitView = {
  cause: "sink_failing",
  until: "2026-03-10T14:02:00.000Z",
  reason: "the sink fails: 503",
};
const retrying: WaitView = {
  cause: "retrying",
  until: "2026-03-10T14:30:00.000Z",
  reason: "the last attempt failed: 500",
};
const queued: WaitView = { cause: "queued", until: null, reason: "next in line" };

describe("status", () => {
  it("has a line for each reason below the sinks, with day and distance", () => {
    const waits = [
      { ...held, count: 3 },
      { ...throttled, count: 265 },
      { ...retrying, count: 1 },
      { ...queued, count: 2 },
    ];
    const text = formatStatus(statusView({ sinks: [sinkView({ waiting: 271, waits })] }), NOW_MS);
    expect(text).toContain(
      [
        "brand: 3 waiting, held by nights until 18:00 UTC (in 4h)",
        "brand: 265 waiting, throttled (30 messages in 10m), collected for a digest until 2026-03-11 00:10 UTC (in 10h)",
        "brand: 1 waiting, the last attempt failed: 500; next attempt 14:30 UTC (in 30m)",
        "brand: 2 waiting, next in line",
      ].join("\n"),
    );
  });

  it("says of a sink that fails so once, in its row", () => {
    const times = { failing_since: "2026-03-10T13:50:00.000Z", next_attempt_at: failing.until };
    const sink = sinkView({
      breaker: "open",
      reason: "503",
      waiting: 9,
      waits: [{ ...failing, count: 9 }],
      ...times,
    });
    const text = formatStatus(statusView({ sinks: [sink] }), NOW_MS);
    expect(text).toContain("takes no messages for 10m: 503; next attempt in 2m");
    expect(text.match(/503/g)).toHaveLength(1);
  });

  it("says of each of the last alerts what became of it", () => {
    const [event] = statusView().recent_events;
    const alert = (deliveries: NonNullable<typeof event>["deliveries"]) => ({
      ...(event as NonNullable<typeof event>),
      deliveries,
    });
    const text = formatStatus(
      statusView({
        recent_events: [
          alert([{ sink: "brand", state: "sent", wait: null }]),
          alert([{ sink: "brand", state: "held", wait: held }]),
          alert([
            { sink: "brand", state: "dead", wait: null },
            { sink: "ops", state: "muted", wait: null },
          ]),
          alert([]),
          alert([{ sink: "brand", state: "sealed", wait: failing }]),
        ],
      }),
      NOW_MS,
    );
    const lines = text.split("\n").filter((line) => line.includes("posted"));
    expect(lines.map((line) => line.split("posted")[1]?.trim())).toEqual([
      "brand: delivered",
      "brand: held by nights until 18:00 UTC (in 4h)",
      "brand: dead; ops: muted",
      "no route took it",
      "brand: the sink fails: 503; next attempt 14:02 UTC (in 2m)",
    ]);
  });

  it.each([
    [1, { targets_left: 1, pages: null }, "first read to come"],
    [1, { targets_left: 1, pages: 0 }, "first read under way"],
    [1, { targets_left: 1, pages: 1 }, "first read under way, 1 page so far"],
    [1200, { targets_left: 200, pages: 0 }, "first read 1,000 of 1,200 targets"],
    [2, { targets_left: 2, pages: 7 }, "first read 0 of 2 targets, 7 pages of the next"],
  ])("says how far the first read of %i targets is: %j", (count, read, words) => {
    const targets = Array.from({ length: count }, (_, i) => ({
      name: `@a${i}`,
      status: "pending" as const,
      reason: "",
    }));
    const lines = formatStatus(
      statusView({ watches: [watchView({ targets, first_read: read })] }),
      NOW_MS,
    ).split("\n");
    expect(lines.find((line) => line.startsWith("brand-mentions"))?.endsWith(`  ${words}`)).toBe(
      true,
    );
  });

  it("counts accounts that are not indexed, and lists only those that need attention", () => {
    const targets = [
      { name: "@a", status: "ok", reason: "" },
      { name: "@b", status: "not_indexed", reason: "the service has not indexed this account" },
    ] as const;
    const text = formatStatus(statusView({ watches: [watchView({ targets })] }), NOW_MS);
    expect(text).toContain("1 of 2 accounts not indexed");
    expect(text).not.toContain("@b");
  });
});

describe("status of alerts that wait", () => {
  it("names the message that goes first, and the digest with its time", () => {
    const reader = createWaitReader({
      config: { sinks: [] },
      health: [],
      pauses: new Map(),
      nowMs: NOW_MS,
    });
    const dueMs = NOW_MS + 4 * 3_600_000;
    const waits = (
      [
        { cause: "threaded", untilMs: null, about: "" },
        { cause: "scheduled", untilMs: dueMs, about: "sink:brand" },
        { cause: "scheduled", untilMs: dueMs, about: `route:0.2:brand\n${dueMs}` },
      ] as const
    ).map((wait) => ({ ...reader("brand", wait), count: 2 }));
    expect(
      formatStatus(statusView({ sinks: [sinkView({ waiting: 6, waits })] }), NOW_MS),
    ).toContain(
      [
        "brand: 2 waiting, waits for the first message of its thread, which is not sent yet",
        "brand: 2 waiting, collected for the scheduled digest of the sink brand until 18:00 UTC (in 4h)",
        "brand: 2 waiting, collected for the scheduled digest of route.routes[2] until 18:00 UTC (in 4h)",
      ].join("\n"),
    );
  });
});

describe("status of the last reload", () => {
  const textOf = (memory: readonly string[], sends: readonly string[] = []) => {
    const reload = { at: "2026-03-10T13:00:00.000Z", asked_by: "SIGHUP", memory, sends };
    const { config } = statusView();
    return formatStatus(statusView({ config: { ...config, last_reload: reload } }), NOW_MS);
  };

  it("says what it kept, reset and sent", () => {
    expect(
      textOf(
        ["brand: query: new baseline (another one)", "b: schedule: kept"],
        ["brand: query: the latest 3 (first_run)"],
      ),
    ).toContain(
      [
        "  last reload 2026-03-10 13:00:00 UTC (SIGHUP):",
        "    brand: query: new baseline (another one)",
        "    b: schedule: kept",
        "    sends: brand: query: the latest 3 (first_run)",
      ].join("\n"),
    );
  });

  it("says so where every watch was left alone", () => {
    expect(textOf([])).toContain(
      "  last reload 2026-03-10 13:00:00 UTC (SIGHUP): every watch continues unchanged\n",
    );
  });
});

describe("explain", () => {
  const delivery: ExplainDelivery = {
    ...{
      sink: "brand",
      state: "waiting",
      message_id: null,
      attempts: 0,
      sent_at: null,
      ref: null,
      detail: "",
      wait: null,
    },
  };
  const textOf = (changes: Partial<ExplainDelivery>): string | undefined =>
    formatExplanation({
      item: "1",
      item_id: "1",
      first_reads: [],
      unseen: null,
      verdicts: [
        {
          ...{ watch: "w", target: "q", item_id: "1", verdict: "event", detail: "" },
          ...{
            occurred_at: "2026-03-10T13:00:00.000Z",
            seen_at: "2026-03-10T13:00:00.000Z",
            event: { id: "e", type: "tweet.created" },
            acknowledged: null,
          },
          deliveries: [{ ...delivery, ...changes }],
        },
      ],
    })
      .split("\n")
      .find((line) => line.startsWith("  sink"))
      ?.slice(11);

  it("says why it waits and until when, and what failed last once", () => {
    expect(textOf({ state: "held", wait: held })).toBe(
      "brand: waiting, held by nights until 2026-03-10 18:00:00",
    );
    expect(textOf({ wait: throttled })).toBe(
      "brand: waiting, throttled (30 messages in 10m), collected for a digest until 2026-03-11 00:10:00",
    );
    expect(
      textOf({ state: "sealed", message_id: "m", attempts: 4, detail: "500", wait: retrying }),
    ).toBe(
      "brand: on its way, the last attempt failed: 500; next attempt 2026-03-10 14:30:00, message m, 4 attempts",
    );
    expect(textOf({ state: "sealed", message_id: "m", wait: queued })).toBe(
      "brand: on its way, message m",
    );
    expect(textOf({ wait: queued })).toBe("brand: waiting");
    expect(
      textOf({ state: "dead", message_id: "m", attempts: 9, detail: "retry_for ended; 503" }),
    ).toBe("brand: given up, message m, 9 attempts, retry_for ended; 503");
  });

  it("says which message its own is below, and whether that is there yet", () => {
    const lineOf = (changes: Partial<ExplainDelivery>) =>
      pathLines({ ...delivery, ...changes }).join();
    const thread = { first_message: "m1", is_first: false, ref: null };
    expect(lineOf({ state: "sealed", thread })).toBe(
      "    thread   below message m1, which is sent first",
    );
    expect(lineOf({ state: "sent", thread: { ...thread, ref: "1.5" } })).toBe(
      "    thread   below message m1, stored there as 1.5",
    );
    expect(lineOf({ state: "sent", thread: { ...thread, is_first: true } })).toBe(
      "    thread   this message is the first of its thread",
    );
  });
});
