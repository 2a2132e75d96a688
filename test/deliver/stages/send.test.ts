/** Tests the result of one attempt. */
import { expect, it } from "vitest";
import { createSendStage, STOPPING } from "../../../src/deliver/stages/send.ts";
import { type SendReceipt, SinkError } from "../../../src/model/sink.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const MINUTE = 60_000;

function setUp(
  send: (message: unknown, signal: AbortSignal) => Promise<SendReceipt>,
  body: unknown = "text",
) {
  const clock = createVirtualClock(0);
  const underWay = new Set<AbortController>();
  const stage = createSendStage({
    clock,
    underWay,
    mayAct: async () => true,
    mutes: { holdOf: async () => undefined },
  });
  const input = { queue: { sink: { send } }, message: { id: "m", body } } as unknown as Parameters<
    typeof stage.run
  >[0];
  return { clock, underWay, run: () => stage.run(input) };
}

it("that the sink takes leaves nothing behind", async () => {
  const { clock, underWay, run } = setUp(async () => ({ ref: "r" }));
  expect(await run()).toMatchObject({ kind: "accepted", atMs: 0, receipt: { ref: "r" } });
  expect([clock.pending(), underWay.size]).toEqual([0, 0]);
});

it("fails with the sink's own error, or with what was thrown as one that may pass", async () => {
  const refused = new SinkError("message", "no", 400);
  expect(await setUp(() => Promise.reject(refused)).run()).toMatchObject({
    kind: "failed",
    error: refused,
  });
  const odd = await setUp(() => Promise.reject(new Error("odd"))).run();
  expect(odd).toMatchObject({
    kind: "failed",
    error: { kind: "transient", message: "odd", cause: new Error("odd") },
  });
});

it("that gets no answer within two minutes fails, and the sink is asked to end it", async () => {
  let seen: AbortSignal | undefined;
  const { clock, underWay, run } = setUp((_, signal) => {
    seen = signal;
    return new Promise(() => undefined);
  });
  const running = run();
  await clock.advance(2 * MINUTE - 1);
  expect([seen?.aborted, underWay.size]).toEqual([false, 1]);
  await clock.advance(1);
  expect(await running).toMatchObject({
    kind: "failed",
    error: { kind: "transient", message: "no answer within two minutes" },
  });
  expect([seen?.aborted, underWay.size]).toEqual([true, 0]);
});

it("that is cut off by a stop says nothing of the sink", async () => {
  const { underWay, run } = setUp(() => new Promise(() => undefined));
  const running = run();
  for (const controller of underWay) controller.abort(STOPPING);
  expect(await running).toMatchObject({ kind: "aborted" });
});

it("that failed by itself while the pump stops failed", async () => {
  const { run } = setUp(() => Promise.reject(STOPPING));
  expect(await run()).toMatchObject({ kind: "failed" });
});

it("of a message that could not be rendered is refused without asking the sink", async () => {
  const { run } = setUp(() => expect.fail("asked"), { chirpwatch_unrendered: true });
  expect(await run()).toMatchObject({
    kind: "failed",
    error: { kind: "message", fields: { unsent: true } },
  });
});
