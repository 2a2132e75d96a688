/** Tests what a backfill prints before, while and after it reads. */
import { describe, expect, it } from "vitest";
import { estimateText, progressText, resultText } from "../../../src/cli/control/backfill-text.ts";
import { goodConfig } from "../../config/load-text.ts";

const SINCE_MS = Date.UTC(2026, 6, 1, 9);

const planOf = async (leftOut: readonly string[] = [], left?: number) => {
  const watches = { brand: { type: "search", query: "acme" } };
  const sinks = { out: { type: "console" } };
  const config = await goodConfig(
    JSON.stringify({
      version: 1,
      api: { base_url: "http://127.0.0.1:1", key: "k" },
      watches,
      sinks,
    }),
  );
  const [watch] = config.watches;
  if (watch === undefined) throw new Error("no watch");
  return { watch, sinceMs: SINCE_MS, polls: [], leftOut, left };
};

describe("the estimate", () => {
  it("says what it is based on, and where the backfill ends", async () => {
    const estimate = { unread: 1, paid: 1, itemsPerDay: 230.4, requests: 12 };
    expect(estimateText(await planOf(["a", "b", "c", "d", "e", "f", "g"]), estimate, 500)).toEqual([
      "brand: back to 2026-07-01 09:00 UTC, 0 sources",
      "1 source already read and paid for within the last day: nothing to pay",
      "left out, not looked up yet: a, b, c, d, e and 2 more",
      "about 12 requests (based on 230 items a day so far), 500 requests at most (--max-requests)",
    ]);
  });

  it("does not pretend to know what a young watch costs", async () => {
    const estimate = { unread: 2, paid: 0, itemsPerDay: undefined, requests: undefined };
    expect(estimateText(await planOf(), estimate, 500).at(-1)).toBe(
      "cost not known yet: the watch is less than an hour old; at least 2 requests, 500 requests at most (--max-requests)",
    );
  });

  it("names the quota where that ends it first", async () => {
    const estimate = { unread: 1, paid: 0, itemsPerDay: 20, requests: 8 };
    expect(estimateText(await planOf([], 40), estimate, 40).at(-1)).toContain(
      "40 requests at most (what is left of the quota before its reserve)",
    );
  });
});

it("the bar shows how far back it is, requests and tweets", () => {
  const at = { spent: 3, expected: 12, tweets: 60 };
  expect(progressText({ ...at, share: 0.25 })).toBe(
    "[#####...............] 3 of about 12 requests, 60 tweets",
  );
  expect(progressText({ spent: 1, expected: undefined, tweets: 1, share: 0 })).toBe(
    "[....................] 1 request, 1 tweet",
  );
  expect(progressText({ ...at, expected: undefined, share: 7 })).toBe(
    "[####################] 3 requests, 60 tweets",
  );
});

it("the result says what goes out, what does not and why", () => {
  const view = { alerts: 1, filtered: 2, known: 3, left: 4 };
  const rest =
    "3 announced before, 2 filtered, 4 newer than what the watch has read: its next poll reports them";
  expect(resultText(view, { effect: "within a minute, by here#1", spent: 1 })).toBe(
    `1 request paid. 1 alert goes out within a minute, by here#1; ${rest}`,
  );
  expect(resultText({ ...view, alerts: 2 }, { effect: undefined, spent: 0 })).toContain(
    "0 requests paid. 2 alerts would be sent; 3 announced before",
  );
});
