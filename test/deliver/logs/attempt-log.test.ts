/** How often failed attempts are logged. */
import { expect, it } from "vitest";
import { createAttemptLog } from "../../../src/deliver/logs/attempt-log.ts";
import type { LogFields } from "../../../src/model/log.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

function setUp() {
  const clock = createVirtualClock(0);
  const lines: [string, string, LogFields | undefined][] = [];
  const at = (level: string) => (message: string, fields?: LogFields) =>
    void lines.push([level, message, fields]);
  const log = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: () => log,
  };
  return { clock, lines, log: createAttemptLog({ log, clock }) };
}

const fieldsOf = (lines: ReturnType<typeof setUp>["lines"]) => lines.map(([, , fields]) => fields);
const line = (attempts: number, ids: readonly string[], error = "503", sink = "hook") => ({
  sink,
  attempts,
  messages: ids.length,
  messageIds: ids.slice(0, 10),
  error,
});

it("says the first at once, then once a minute how many came, of how many messages, and the last error", async () => {
  const { clock, lines, log } = setUp();
  log.failed("hook", "retried", { messageId: "a", error: "503" });
  expect(fieldsOf(lines)).toEqual([line(1, ["a"])]);
  for (const messageId of ["a", "b", "a"])
    log.failed("hook", "retried", { messageId, error: "503" });
  log.failed("hook", "retried", { messageId: "c", error: "504" });
  await clock.advance(MINUTE - 1);
  expect(lines).toHaveLength(1);
  await clock.advance(1);
  expect(fieldsOf(lines).slice(1)).toEqual([line(4, ["a", "b", "c"], "504")]);
  for (let i = 0; i < 12; i += 1)
    log.failed("hook", "retried", { messageId: `m${i}`, error: "503" });
  await clock.advance(MINUTE);
  expect(fieldsOf(lines).slice(2)).toEqual([
    line(
      12,
      Array.from({ length: 12 }, (_, i) => `m${i}`),
    ),
  ]);
});

it("says the next at once again after a minute without any", async () => {
  const { clock, lines, log } = setUp();
  log.failed("hook", "retried", { messageId: "a", error: "503" });
  await clock.advance(MINUTE);
  expect(lines).toHaveLength(1);
  expect(clock.pending()).toBe(0);
  log.failed("hook", "retried", { messageId: "b", error: "503" });
  expect(fieldsOf(lines)).toEqual([line(1, ["a"]), line(1, ["b"])]);
});

it("counts each sink and kind for itself, each at its own level", () => {
  const { lines, log } = setUp();
  log.failed("hook", "retried", { messageId: "a", error: "503" });
  log.failed("chat", "retried", { messageId: "b", error: "503" });
  log.failed("hook", "limited", { messageId: "c", error: "slow down" });
  log.failed("hook", "dead", { messageId: "d", error: "no" });
  expect(lines).toEqual([
    ["warn", "deliveries failed and will be retried", line(1, ["a"])],
    ["warn", "deliveries failed and will be retried", line(1, ["b"], "503", "chat")],
    ["info", "a sink asked to wait", line(1, ["c"], "slow down")],
    ["error", "messages were given up", line(1, ["d"], "no")],
  ]);
});

it("says at its end what it has counted and not said, and nothing after", async () => {
  const { clock, lines, log } = setUp();
  log.failed("hook", "retried", { messageId: "a", error: "503" });
  log.failed("chat", "dead", { messageId: "b", error: "no" });
  log.failed("chat", "dead", { messageId: "c", error: "no" });
  log.end();
  expect(fieldsOf(lines)).toEqual([
    line(1, ["a"]),
    line(1, ["b"], "no", "chat"),
    line(1, ["c"], "no", "chat"),
  ]);
  expect(clock.pending()).toBe(0);
  log.failed("hook", "retried", { messageId: "d", error: "503" });
  expect(fieldsOf(lines).at(-1)).toEqual(line(1, ["d"]));
});
