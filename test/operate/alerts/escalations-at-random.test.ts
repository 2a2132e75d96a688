import { expect, it } from "vitest";
import { goodConfig } from "../../config/load-text.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { memoryStatePath, openTemp, START_MS } from "../../state/temp-state.ts";
import { playEscalations, type Scene } from "./escalation-play.ts";
import type { Sent } from "./escalation-model.ts";

const SEEDS = [1, 2, 3, 6];

const load: Scene["load"] = (steps) => {
  const escalateOf = (sink: string) => {
    const written = (steps[sink] ?? []).map(({ sink: to, afterMs, isPassed }) => ({
      ...{ after: `${afterMs / 1_000}s`, sink: to },
      ...(isPassed ? { when: 'labels.watch == "nowhere"' } : {}),
    }));
    return written.length === 0 ? {} : { escalate: written };
  };
  return goodConfig(
    JSON.stringify({
      watches: { a: { type: "search", query: "acme", sink: "chat" } },
      ops: { sink: "chat" },
      sinks: {
        chat: { type: "console", ...escalateOf("chat") },
        other: { type: "console", ...escalateOf("other") },
        pager: { type: "console" },
        phone: { type: "console" },
      },
    }),
  );
};

const text = ({ alert, to, nth }: Sent) => `${alert} ${to} ${nth}`;

it.each(SEEDS)(
  "each step is sent once and in time, whatever people and leaders do: seed %i",
  async (seed) => {
    const clock = createVirtualClock(START_MS);
    const store = await openTemp(memoryStatePath(), { clock });
    const { expected, sent, divided, errors } = await playEscalations({ store, clock, seed, load });
    expect(errors).toEqual([]);
    expect(divided).toEqual([]);
    expect(sent.map(text).sort()).toEqual(expected.map(text).sort());
    const late = expected.filter((one) => {
      const found = sent.find((other) => text(other) === text(one));
      return found === undefined || found.atMs < one.atMs || found.atMs > one.atMs + 1_000;
    });
    expect(late).toEqual([]);
  },
);
