/**
 * Tests what the log says while the state has a trouble: one line for each cause, with growing
 * pauses and a count, and no stack.
 */
import { expect, it } from "vitest";
import { createStoreTroubleLog } from "../../../src/app/daemon/store-trouble-log.ts";
import type { Log, LogFields } from "../../../src/model/log.ts";
import { StoreError } from "../../../src/model/store-error.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

function makeLog() {
  const clock = createVirtualClock(0);
  const lines: {
    readonly level: string;
    readonly message: string;
    readonly fields: LogFields | undefined;
    readonly atMs: number;
  }[] = [];
  const take = (level: string) => (message: string, fields?: LogFields) =>
    void lines.push({ level, message, fields, atMs: clock.now() });
  const plain: Log = {
    debug: take("debug"),
    info: take("info"),
    warn: take("warn"),
    error: take("error"),
    child: () => plain,
  };
  return { clock, lines, log: createStoreTroubleLog(plain, clock) };
}

const AWAY = new StoreError("STORE_UNREACHABLE", "the server does not answer", {
  hint: "Start it.",
});

it("says one line for a cause whatever fails for it, with growing pauses and a count, as a warning without a stack", async () => {
  const { clock, lines, log } = makeLog();
  for (let second = 0; second < 300; second += 1) {
    log.error("poll failed", { watch: "w", error: AWAY });
    log.child({}).warn("probe failed", { error: AWAY });
    await clock.advance(1_000);
  }
  const said = lines.filter(({ level }) => level !== "debug");
  expect(
    said.filter(({ message }) => message === "poll failed").map(({ atMs }) => atMs / 1_000),
  ).toEqual([0, 10, 30, 70, 150]);
  expect(said[0]).toMatchObject({
    level: "warn",
    fields: { watch: "w", error: "the server does not answer", hint: "Start it." },
  });
  expect(
    said
      .filter(({ message }) => message === "poll failed")
      .map(({ fields }) => fields?.["more_like_this"]),
  ).toEqual([...[undefined, 9, 19, 39, 79]]);
});

it("says another cause at once, a trouble that comes back much later as a new one, and what is no trouble of the state as it is", async () => {
  const { clock, lines, log } = makeLog();
  log.error("poll failed", { error: AWAY });
  log.error("poll failed", { error: new StoreError("STORE_FULL", "it is full") });
  await clock.advance(3_600_000);
  log.error("poll failed", { error: AWAY });
  const other = new Error("no");
  log.error("poll failed", { error: other });
  log.info("well", { error: AWAY });
  expect(lines.map(({ level, fields }) => [level, fields?.["error"]])).toEqual([
    ["warn", "the server does not answer"],
    ["warn", "it is full"],
    ["warn", "the server does not answer"],
    ["error", other],
    ["info", AWAY],
  ]);
});
