import { expect, it } from "vitest";
import { createSilence } from "../../../src/operate/alerts/silence-actions.ts";
import { goodConfig } from "../../config/load-text.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../../state/temp-state.ts";
import { makeEvent } from "../../support/make-event.ts";

it.each([1, 999, 1_000, 2_345])(
  "a new silence says how many of %i events of the last day it matches, and of none before",
  async (count) => {
    const config = await goodConfig(
      JSON.stringify({
        watches: { brand: { type: "search", query: "acme", sink: "out" } },
        sinks: { out: { type: "console" } },
        ops: { sink: "out" },
      }),
    );
    const store = await openTemp(memoryStatePath());
    const eventAt = (subject: string, detectedAtMs: number) => ({
      ...makeEvent(subject),
      detectedAtMs,
    });
    const events = Array.from({ length: count }, (_, index) => eventAt(String(index), T0 + index));
    await store.commitPoll({
      atMs: T0,
      targets: [],
      verdicts: [],
      events: [eventAt("old", T0 - 3 * 86_400_000), ...events],
      deliveries: [],
    });
    const request = {
      matchers: ['watch="brand"'],
      duration: "1h",
      comment: "quiet",
      author: "alice",
    };
    const outcome = await createSilence(store, request, { config, nowMs: T0 + count });
    expect(outcome).toMatchObject({ ok: true, silence: { matching_24h: count } });
  },
);
