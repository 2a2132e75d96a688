/**
 * Tests texts from templates and enrichments in every sink for people: they stay within the sink's
 * limits and are as harmless as a stranger's text.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReader } from "../../src/operate/create-reader.ts";
import type { Batch } from "../../src/model/sink.ts";
import type { Wording } from "../../src/model/template.ts";
import { hostileText } from "../render/hostile-text.ts";
import { makeEvent, makeTweet } from "../support/make-event.ts";
import { manyRuns } from "../support/many-runs.ts";
import { tweetId } from "./chat-batch.ts";
import { expectSafe, LAYOUTS, longestText } from "./chat-layouts.ts";

interface Words {
  readonly wording: Wording;
  readonly enrichment: Readonly<Record<string, string | number | boolean>>;
}

/** Creates the alerts as the daemon reads them. */
function batchOf(alerts: readonly Words[]): Batch {
  const events = alerts.map(({ wording, enrichment }, index) => {
    const id = tweetId(index);
    const body = { tweet: makeTweet(id), enrichment } as never;
    return {
      event: { ...makeEvent(id, { body }), watchType: "search" },
      watches: ["brand"],
      wording,
    };
  });
  return { events, sample: false, read: createReader("https://x.com") };
}

const long = fc
  .array(hostileText, { minLength: 20, maxLength: 60 })
  .map((parts) => parts.join(" "));
const text = fc.oneof(hostileText, long, longestText);
const moment = fc.record({
  atMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  style: fc.constantFrom("datetime", "date", "time", "relative"),
  text: fc.constant("1 Jan 2026, 10:00"),
} as const);
const pieces = fc.array(
  fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: moment }),
  { maxLength: 8 },
);
const wording = fc.record({ title: pieces, body: pieces }, { requiredKeys: [] });
const enrichment = fc.dictionary(
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,49}$/),
  fc.oneof(
    hostileText,
    long.map((value) => value.slice(0, 5_000)),
    fc.double({ noNaN: true }),
    fc.boolean(),
  ),
  { maxKeys: 20 },
);
const alert = fc.record({ wording, enrichment });

describe.each(LAYOUTS)("words of templates and enrichments in $name", (layout) => {
  const { most, render, seen } = layout;
  it("are there, with the link to the tweet", () => {
    const enriched = { mood: "angry", summary: "s".repeat(80) };
    const whole = {
      wording: { title: ["Look"], body: ["A template wrote it"] },
      enrichment: enriched,
    };
    const shown = seen(render(batchOf([whole])) as never);
    for (const part of ["A template wrote it", "mood angry", `/status/${tweetId(0)}`])
      expect(shown).toContain(part);
    // A long value stands below the text of the default message.
    expect(
      seen(render(batchOf([{ wording: { title: ["Look"] }, enrichment: enriched }])) as never),
    ).toContain("s".repeat(80));
  });

  it("fault 53, fault 54: stay within every limit, are valid UTF-8 and mention nobody", () => {
    fc.assert(
      fc.property(fc.array(alert, { minLength: 1, maxLength: most }), (alerts) =>
        expectSafe(layout, render(batchOf(alerts))),
      ),
      { numRuns: manyRuns(4, 100) },
    );
  });
});
