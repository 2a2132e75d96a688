/**
 * Tests deliveries that wait for a sink which the configuration does not have: the log reports
 * them, and the status gives them as a reason.
 */
import { expect, it } from "vitest";
import { strandedReasons, warnOfStranded } from "../../../src/operate/alerts/stranded.ts";
import type { Config } from "../../../src/config/config.ts";
import type { OutboxStats } from "../../../src/model/outbox.ts";

const config = { sinks: [{ name: "kept" }, { name: "other" }] } as unknown as Config;
const statsOf = (sink: string, waiting: number): OutboxStats => ({
  sink,
  waiting,
  oldestAtMs: null,
  sent: 1,
  dead: 0,
});
const STATS = [statsOf("kept", 3), statsOf("done", 0), statsOf("gone", 2)];

async function logged(outboxStats: () => Promise<readonly OutboxStats[]>) {
  const lines: unknown[] = [];
  const log = {
    debug() {},
    info() {},
    warn: (...line: unknown[]) => void lines.push(line),
    error() {},
    child: () => log,
  };
  await warnOfStranded(config, { store: { outboxStats }, log });
  return lines;
}

it("names each sink that is gone while deliveries wait for it, how many, and what sends them", async () => {
  const fields = {
    sink: "gone",
    waiting: 2,
    hint: "define a sink with this name again, or write `moved_from` on the renamed sink, and they are sent",
  };
  expect(await logged(async () => STATS)).toEqual([
    ["deliveries are waiting for a sink that is not configured", fields],
  ]);
  expect(strandedReasons(config, STATS)).toEqual([
    "gone is no longer a sink, but 2 of its deliveries are waiting: define a sink with this name again, or write `moved_from: gone` on the renamed sink, and they are sent",
  ]);
});

it("a state that cannot be read does not stop the start", async () => {
  expect(await logged(() => Promise.reject(new Error("the disk is gone")))).toEqual([
    ["the outbox could not be counted", { error: "the disk is gone" }],
  ]);
});
