/**
 * Tests the exact text of `explain`: each verdict, each state and route to a sink, and why an item
 * was never seen.
 */
import { describe, expect, it } from "vitest";
import { formatExplanation } from "../../../src/cli/inspect/explain-text.ts";
import { pathLines } from "../../../src/cli/inspect/path-text.ts";
import { formatUnseen, neverSeen } from "../../../src/cli/inspect/unseen-text.ts";
import type { Verdict } from "../../../src/model/event.ts";
import type {
  ExplainDelivery,
  ExplainLine,
  UnseenLine,
} from "../../../src/server/schema/explain-view.ts";

const AT = "2026-03-10T13:00:07.000Z";

const delivery = (changes: Partial<ExplainDelivery> = {}): ExplainDelivery => ({
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
  ...changes,
});

const line = (changes: Partial<ExplainLine> = {}): ExplainLine => ({
  ...{
    watch: "w",
    target: "@acme",
    item_id: "1",
    verdict: "event",
    detail: "",
    event: null,
    acknowledged: null,
    deliveries: [],
  },
  ...{ occurred_at: AT, seen_at: "2026-03-10T13:02:00.000Z" },
  ...changes,
});

const textOf = (...verdicts: readonly ExplainLine[]): string =>
  formatExplanation({ item: "x.com/1", item_id: "1", first_reads: [], unseen: null, verdicts });

/** Returns the text that follows a title. */
const after = (title: string, text: string): string =>
  text
    .split("\n")
    .find((one) => one.trim().startsWith(title))
    ?.trim()
    .slice(title.length)
    .trim() ?? "";

it("has a block for each watch: item, times, verdict, event, sinks", () => {
  const event = { id: "e1", type: "tweet.created" };
  const sent = delivery({
    state: "sent",
    message_id: "m1",
    attempts: 2,
    sent_at: "2026-03-10T13:02:04.000Z",
    ref: "170.1",
  });
  expect(
    textOf(
      line({ event, deliveries: [sent] }),
      line({ watch: "v", verdict: "filtered", detail: "where is false" }),
    ),
  ).toBe(
    [
      "Item 1",
      "",
      "w (@acme)",
      "  written  2026-03-10 13:00:07",
      "  seen     2026-03-10 13:02:00",
      "  verdict  news: it became an alert",
      "  event    tweet.created e1",
      "  sink     brand: sent 2026-03-10 13:02:04, message m1, 2 attempts, stored there as 170.1",
      "",
      "v (@acme)",
      "  written  2026-03-10 13:00:07",
      "  seen     2026-03-10 13:02:00",
      "  verdict  no alert: filtered (where is false)",
    ].join("\n"),
  );
  expect(after("sink", textOf(line({ event })))).toBe("none: no route took it");
});

it.each<[Verdict, string, string]>([
  ["event", "", "news: it became an alert"],
  ["dead", "", "not delivered: it became an alert, which was given up"],
  ["silenced", "silence 3", "not delivered: silenced (silence 3)"],
  ["baseline", "at or below the watermark", "no alert: it was there when the watch began"],
  ["too_old", "", "no alert: too old when it was found"],
  ["muted", "nights", "no alert: muted (nights)"],
  ["duplicate", "", "no alert: duplicate"],
])("says of the verdict %s, for the reason %j: %s", (verdict, detail, words) => {
  expect(after("verdict", textOf(line({ verdict, detail })))).toBe(words);
});

it.each([
  ["sealed", "on its way"],
  ["dead", "given up"],
  ["summarised", "counted in a digest, not listed"],
  ["not_published", "not published"],
  ["not_enriched", "sent without the enrichment"],
  ["duplicate", "duplicate of another message"],
  ["muted", "muted"],
])("says of a delivery that is %s: %s", (state, words) => {
  expect(after("sink", textOf(line({ deliveries: [delivery({ state })] })))).toBe(
    `brand: ${words}`,
  );
});

describe("the way to a sink", () => {
  const sent = { at: AT, result: "sent", answer: "170.1" } as const;
  const failed = { at: AT, result: "failed", answer: "503" } as const;
  const repeat = { count: 0, next_at: AT };
  const edit = { state: "waiting", due_at: null, edited_at: null, error: "" } as const;
  const thread = { first_message: "m1", is_first: false, ref: null };
  it.each<[Partial<ExplainDelivery>, readonly string[]]>([
    [{}, []],
    [{ routed_by: "watch" }, ["    route    the watch's own sink"]],
    [{ routed_by: "ops" }, ["    route    ops.sink"]],
    [{ routed_by: "replay" }, ["    route    none: a replay sent it there"]],
    [{ routed_by: "unknown" }, ["    route    the current configuration would not send it there"]],
    [{ routed_by: "route", route: "route" }, ["    route    route"]],
    [{ throttle: "30 messages in 10m" }, ["    throttle 30 messages in 10m"]],
    [{ joined_event: "e9" }, ["    with     event e9"]],
    [{ thread, state: "sent" }, ["    thread   below message m1"]],
    [
      { silence: { id: "3", matchers: [], author: "", comment: "", ends_at: null } },
      ["    silence  3"],
    ],
    [{ repeat }, ["    repeat   2026-03-10 13:00:07 while the value stays past its threshold"]],
    [
      { repeat: { count: 3, next_at: null } },
      ["    repeat   only once more, when the value is back to normal, sent again 3 times so far"],
    ],
    [{ attempt_log: [sent] }, []],
    [
      { attempt_log: [failed, sent] },
      ["    attempt  2026-03-10 13:00:07 failed: 503", "    attempt  2026-03-10 13:00:07 sent"],
    ],
    [{ edit: { ...edit, due_at: AT } }, ["    edit     waits until 2026-03-10 13:00:07"]],
    [
      { edit: { ...edit, state: "done", edited_at: AT } },
      [
        "    edit     the message shows the latest known version of its tweet, last edited 2026-03-10 13:00:07",
      ],
    ],
    [
      { edit: { ...edit, state: "dropped", error: "503" } },
      ["    edit     dropped, until the tweet changes again: 503"],
    ],
    [{ edit: { ...edit, state: "refused" } }, ["    edit     the message cannot be edited"]],
  ])("of %j", (changes, lines) => {
    expect(pathLines(delivery(changes))).toEqual(lines);
  });
});

describe("an item that nobody saw", () => {
  const unseen = (watch: string, target = watch): UnseenLine => ({
    watch,
    target,
    could_see: true,
    reason: "it is paused",
  });
  const view = { posted_at: null, is_forgotten: false, watches: [], more: 0 };

  it("has a line for each watch, with the target where it has another name, and 20 at the most", () => {
    expect(
      formatUnseen({ ...view, watches: [unseen("a"), unseen("b", "@bob"), unseen("c", "")] }),
    ).toBe("a: it is paused\nb (@bob): it is paused\nc: it is paused");
    const lines = formatUnseen({
      ...view,
      watches: Array.from({ length: 21 }, (_, i) => unseen(`w${i}`)),
      more: 7,
    }).split("\n");
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe("8 more targets: --json shows them");
  });

  const errorOf = (id: string | null, watches: readonly string[]) =>
    neverSeen({ item: "@bob", item_id: id, first_reads: watches, verdicts: [], unseen: null });

  it("says how to ask, and which first reads may bring it yet", () => {
    expect(errorOf(null, [])).toMatchObject({
      message: "@bob: no item with that name was ever seen.",
      hint: "Ask by tweet id or link, user id or profile link. A handle is known once a watch names it or an alert was about it.",
    });
    expect(errorOf("1", ["a", "b", "c"])).toMatchObject({
      message: "1 was never seen: no poll of any watch returned it.",
      hint: "The first read of a, b, c is not complete and may still find it. chirpwatch test WATCH shows what a watch sees now.",
    });
    expect(errorOf("1", ["a", "b", "c", "d", "e"]).hint).toMatch(
      /^The first read of a, b, c and 2 more is not complete/,
    );
  });
});
