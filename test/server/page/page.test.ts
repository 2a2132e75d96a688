import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PAGE_POLICY } from "../../../src/server/page/page-assets.ts";
import { countText, dayText, spanText } from "../../../src/server/contract/page-words.ts";
import { renderPage } from "../../../src/server/page/page.ts";
import type { StatusView } from "../../../src/server/schema/status-view.ts";
import {
  activityView,
  NOW_MS,
  silenceView,
  sinkView,
  statusView,
  watchView,
} from "../daemon-stand-in.ts";

function page(changes: Partial<StatusView> = {}, others: readonly string[] = []): string {
  const status = statusView(changes);
  const watchNames = [...status.watches.map(({ id }) => id), ...others];
  return renderPage({ status, watchNames, activity: activityView(), nowMs: NOW_MS });
}
const bodyOf = (text: string) => text.slice(text.indexOf("<body>"), text.indexOf("<script>"));
/** Returns the text that a reader sees. */
const wordsOf = (text: string) =>
  bodyOf(text)
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

const linesOf = (words: string) =>
  /Needs attention (.*?) Overview Watches/.exec(words)?.[1]?.replace(/\s+/g, " ").trim();

describe("the status page", () => {
  it("shows a calm daemon without an attention list", () => {
    const words = wordsOf(page());
    expect(words).toContain("Running");
    expect(words).toContain("31,408 of 100,000");
    expect(words).toContain("90,000 expected until 1 Apr, the schedules ask for 92,400");
    expect(words).toMatch(
      /brand-mentions search, @every 5m .* #brand 212 3,204 2 min ago in 2 min/,
    );
    expect(words).not.toContain("Needs attention");
  });

  it("leads from the last events to all of them", () => {
    expect(page()).toContain('<a href="events">all events</a>');
  });

  it("names the replicas, and says what none of them does", () => {
    const one = {
      name: "10.0.0.1#aaaa",
      joined_at: "",
      leads: true,
      answers: true,
      shares: true,
      polls_percent: 100,
      destinations: 0,
    };
    const unclaimed = { polls: 2, destinations: 0, oldest_poll_at: "2026-03-10T13:00:00.000Z" };
    expect(wordsOf(page({ replicas: [one], unclaimed }))).toMatch(/10\.0\.0\.1#aaaa Leads 100%/);
    expect(wordsOf(page({ replicas: [one], unclaimed }))).toContain(
      "not given to a replica yet: 2 polls (the least recent one was last polled 2026-03-10 13:00:00 UTC)",
    );
    expect(wordsOf(page({ replicas: [one] }))).not.toContain("not given");
  });

  it("shows what silences hold back, until when, for whom and why, and nothing of them while there are none", () => {
    const words = wordsOf(
      page({
        silences: [
          silenceView({ comment: "<b>launch</b>" }),
          silenceView({ id: "2", author: "", silenced: [] }),
        ],
      }),
    );
    expect(words).toMatch(
      /Silences 2 .*watch=&quot;brand-mentions&quot; silence 1 in 1 h alice &lt;b&gt;launch&lt;\/b&gt; 3 /,
    );
    expect(words).toMatch(/silence 2 in 1 h – a planned launch 0 /);
    expect(wordsOf(page())).not.toContain("Silences");
  });

  it("lists what someone should do, each once: the daemon's reasons, errors of a refused file, a failing watch, a warning", () => {
    const words = wordsOf(
      page({
        state: "degraded",
        reasons: [
          "brand does not take messages: 404 Unknown Webhook (38 waiting, kept)",
          "partners: @ghost cannot be read: suspended",
          "the changed configuration was refused at 2026-03-10T13:50:00.000Z; the old one stays active",
        ],
        sinks: [
          sinkView({
            breaker: "open",
            reason: "404 Unknown Webhook",
            waiting: 38,
            oldest_at: "2026-03-10T13:17:00.000Z",
          }),
        ],
        watches: [
          watchView({
            id: "partners",
            problem: "404",
            targets: [{ name: "@ghost", status: "unavailable", reason: "suspended" }],
          }),
          watchView({ id: "broken", problem: "400: bad query" }),
        ],
        config: {
          file: "watches.yaml",
          loaded_at: "2026-03-09T08:00:00.000Z",
          warnings: ["watches.yaml:9:1: sink never used"],
          last_reload: null,
          failed_reload: {
            at: "2026-03-10T13:50:00.000Z",
            errors: ["watches.yaml:3:1: unknown key"],
          },
        },
      }),
    );
    expect(words).toContain("Degraded");
    expect(linesOf(words)).toBe(
      [
        "brand does not take messages: 404 Unknown Webhook (38 waiting, kept) Open brand",
        "Try now… The next message is sent at once. If the sink takes it, the others follow. Your name Try now",
        "partners: @ghost cannot be read: suspended Open partners",
        "the changed configuration was refused at 2026-03-10T13:50:00.000Z; the old one stays active",
        "Reload the configuration… Reads the file again and takes it completely or not at all: if it has an error, the present one stays active. Your name Reload",
        "watches.yaml:3:1: unknown key",
        "broken : 400: bad query Test broken…",
        "watches.yaml:9:1: sink never used",
      ].join(" "),
    );
  });

  it("does not call a deleted tweet trouble", () => {
    const gone = { name: "100", status: "gone", reason: "deleted, or no longer public" } as const;
    const one = wordsOf(page({ watches: [watchView({ targets: [gone] })] }));
    // The page shows a watch's target beside its name, and the state of that target under the
    // watch's state.
    expect(one).toMatch(/every 5m 100 OK gone /);
    expect(one).not.toContain("Problem");
    const many = wordsOf(
      page({
        watches: [watchView({ targets: [gone, { name: "200", status: "ok", reason: "" }] })],
      }),
    );
    expect(many).toMatch(/every 5m 2 targets OK 1 gone /);
  });

  it("does not call an account trouble only because it is not indexed", () => {
    const words = wordsOf(
      page({
        watches: [
          watchView({ targets: [{ name: "rival", status: "not_indexed", reason: "not indexed" }] }),
        ],
      }),
    );
    expect(words).toContain("rival OK not indexed");
    expect(words).not.toContain("Needs attention");
  });

  it("says how far the first read of a long list is", () => {
    const list = {
      target: "acme",
      members: 3_000_000,
      first_read_members: 2_000,
      tells_newcomers: true,
      whole_read_every_seconds: null,
    };
    expect(wordsOf(page({ watches: [watchView({ member_lists: [list] })] }))).toContain(
      "first read of acme: 2,000 of 3,000,000",
    );
    const done = { ...list, first_read_members: null };
    expect(wordsOf(page({ watches: [watchView({ member_lists: [done] })] }))).not.toContain(
      "first read",
    );
  });

  it("puts troubled watches first, and stays small with ten thousand", () => {
    const watches = Array.from({ length: 10_000 }, (_, index) =>
      watchView({ id: `w${index}`, problem: index === 9_999 ? "failing" : "" }),
    );
    const text = page({ watches });
    expect(text.indexOf(">w9999<")).toBeLessThan(text.indexOf(">w0<"));
    expect(wordsOf(text)).toContain("9,800 more watches");
    expect(text.length).toBeLessThan(300_000);
  });

  it("counts and links watches that the status leaves out because they are well", () => {
    const text = page({ reasons: ["quiet: a gap in what was read"] }, ["quiet", "other"]);
    expect(wordsOf(text)).toContain("2 more watches");
    expect(wordsOf(text)).toMatch(/Watches 3 active/);
    expect(text).toContain('<a href="watches/quiet">Open quiet</a>');
  });

  it("escapes whatever strangers and operators wrote, wherever it stands", () => {
    const marker = /<(?:i|script)\b[^>]*x1x|"x1x/;
    fc.assert(
      fc.property(fc.constantFrom("<i x1x>", '"x1x', "<script x1x>", `"><i x1x>`), (evil) => {
        const text = page({
          reasons: [evil],
          version: evil,
          upstream: { up: false, reason: evil, since: null, next_attempt_at: null },
          watches: [
            watchView({
              id: evil,
              type: evil,
              sink: evil,
              schedule: evil,
              problem: evil,
              targets: [{ name: evil, status: "unavailable", reason: evil }],
            }),
          ],
          sinks: [sinkView({ name: evil, type: evil, breaker: "open", reason: evil })],
          recent_events: [
            {
              id: evil,
              type: evil,
              watch: evil,
              title: evil,
              text: evil,
              url: `https://x.com/${evil}`,
              occurred_at: "2026-03-10T13:00:00Z",
              acknowledged: { by: evil, at: "2026-03-10T13:00:00Z", from: evil },
              deliveries: [
                {
                  sink: evil,
                  state: "waiting",
                  wait: { cause: "held", until: null, reason: evil },
                },
              ],
              detected_at: "2026-03-10T13:00:00Z",
            },
          ],
          config: {
            file: evil,
            loaded_at: "2026-03-09T08:00:00.000Z",
            warnings: [evil],
            last_reload: null,
            failed_reload: { at: "2026-03-10T13:00:00Z", errors: [evil] },
          },
        });
        expect(text).not.toMatch(marker);
      }),
    );
  });

  it("says of a poll that waits its turn that it is due, and of a paused watch that it waits for someone", () => {
    expect(
      wordsOf(page({ watches: [watchView({ next_poll_at: "2026-03-10T13:59:20.000Z" })] })),
    ).toContain("due for 40 s");
    expect(wordsOf(page({ watches: [watchView({ paused: true })] }))).toContain("when resumed");
    expect(
      wordsOf(page({ watches: [watchView({ next_poll_at: null, polled_by: ["10.0.0.2"] })] })),
    ).toContain("by 10.0.0.2");
  });

  it("links to the web only", () => {
    const [event] = statusView().recent_events;
    const text = page({
      recent_events: event === undefined ? [] : [{ ...event, url: "javascript:alert(1)" }],
    });
    expect(text).not.toContain("javascript:");
    expect(wordsOf(text)).toContain("Alice (@alice) posted");
  });

  it("asks nothing of any other server, and runs only what its policy names", () => {
    const text = page();
    expect(text).not.toMatch(/(src|href|action)="(?!data:|https:\/\/x\.com\/alice)([a-z]+:|\/)/);
    expect(text).not.toMatch(/ style="| on[a-z]+="/);
    for (const tag of ["style", "script"]) {
      const content = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(text)?.[1] ?? "";
      expect(PAGE_POLICY).toContain(createHash("sha256").update(content).digest("base64"));
    }
  });

  it("labels every cell for windows too narrow for a table, and every column for screen readers", () => {
    const text = page();
    expect(text).toContain('name="viewport"');
    expect(text.match(/<td(?! data-label="[A-Z])/g)).toBeNull();
    expect(text.match(/<th(?! scope="(col|row)")[ >]/g)).toBeNull();
    expect(text).toContain('<html lang="en">');
  });

  it("says when it was made, and skips no level of its headings", () => {
    const text = page({ state: "degraded", reasons: ["something"] });
    expect(wordsOf(text)).toContain("as of 14:00:00 UTC");
    const levels = [...text.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 1) + 1)).toEqual([]);
  });

  it("says that the limit is unknown rather than drawing a bar", () => {
    const quota = { ...statusView().quota, limit: null, forecast: null, expected: null };
    const text = page({ quota });
    expect(wordsOf(text)).toContain("31,408 until 1 Apr, limit unknown");
    expect(bodyOf(text)).not.toContain('class="bar');
  });
});

describe("a span of time", () => {
  it.each([
    [0, "0 s"],
    [59_400, "59 s"],
    [60_000, "1 min"],
    [3_599_000, "59 min"],
    [3_600_000, "1 h"],
    [5_400_000, "1 h 30 min"],
    [90_000_000, "1 d 1 h"],
    [86_401_000, "1 d"],
  ])("of %i ms reads %j", (ms, text) => {
    expect(spanText(ms)).toBe(text);
  });

  it("writes days and counts as English writes them", () => {
    const day = { day: "numeric", month: "short", timeZone: "UTC" } as const;
    for (let month = 0; month < 12; month += 1) {
      const date = new Date(Date.UTC(2026, month, 5 + month));
      expect(dayText(date.toISOString())).toBe(date.toLocaleDateString("en-GB", day));
    }
    for (const count of [0, 7, 999, 1_000, 31_408, 200_000, 1_234_567, 1e9])
      expect(countText(count)).toBe(count.toLocaleString("en-US"));
  });
});
