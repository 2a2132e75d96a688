/**
 * Tests a watch that several replicas poll, when two of them notice the same change of volume at
 * the same moment.
 */
import { expect, it } from "vitest";
import { VolumeMonitor, type VolumeDeps } from "../../src/engine/recheck/volume-monitor.ts";
import type { Poll } from "../../src/polling/watch-poll.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { rememberingLog } from "../state/temp-state.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 20);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const watch = makeWatch(
  "w",
  "search",
  { query: "acme" },
  { spike: { factor: 3, windowMs: HOUR, min: 5 }, noEventsForMs: 6 * HOUR },
);
const poll = {
  subscribers: [{ watch, watchKey: "key", targetName: "" }],
  intervalMs: 60_000,
  priority: "normal",
} as unknown as Poll;

it.each([
  { what: "an event before it", last: { id: "before", detectedAtMs: START - DAY } },
  { what: "none before it, at midnight", last: undefined },
])(
  "makes one event of a spike, and one of a silence, that two replicas notice before either has stored it, with $what",
  async ({ last }) => {
    const clock = createVirtualClock(START - 1_000);
    const committed: { readonly id: string; readonly type: string }[] = [];
    const deps: VolumeDeps = {
      store: {
        // Both replicas see nine events within the last hour, one in other hours, and the newest a
        // day ago.
        countEvents: async (_, spans) => spans.map(({ toMs }) => (toMs >= START - 1_000 ? 9 : 1)),
        newestEvent: async (_, wanted) => (wanted?.type === "volume.silent" ? undefined : last),
        async commitPoll({ events }) {
          committed.push(...events);
          return { status: "committed", created: new Set(events.map(({ id }) => id)) };
        },
      },
      notes: {
        readNote: async () => ({ sinceMs: START - 10 * DAY, okMs: START, gaps: [] }),
        writeNote: async () => undefined,
      },
      ...{
        clock,
        hash: sha256,
        log: rememberingLog(),
        slowDownOf: () => 1,
        baselineAtMs: () => START - 10 * DAY,
      },
      meter: { count: () => undefined, set: () => undefined, observe: () => undefined },
      route: ({ event }) => ({ event, deliveries: [] }),
      wakeDelivery: () => undefined,
    };
    for (let replica = 0; replica < 2; replica += 1) {
      clock.jump(700);
      await new VolumeMonitor(deps).polled(poll);
    }
    expect(committed.map(({ type }) => type)).toEqual([
      "volume.spike",
      "volume.silent",
      "volume.spike",
      "volume.silent",
    ]);
    expect(new Set(committed.map(({ id }) => id)).size).toBe(2);
  },
);
