/**
 * What becomes of a message that some of its receivers took: it is repeated for the others alone,
 * and the operator hears of those who never take it.
 */
import { describe, expect, it } from "vitest";
import { type SealedMessage, SinkError, takenBy } from "../../src/model/sink.ts";
import type { ChirpEvent } from "../../src/model/event.ts";
import { makeEvent } from "../support/make-event.ts";
import { createBench, HOUR, MINUTE, SECOND } from "./pump-bench.ts";

/** A sink with two receivers, of which one refuses it for now. */
function setUp() {
  const bench = createBench();
  const attempts: (readonly string[] | undefined)[] = [];
  let missed: string | undefined;
  const send = async ({ taken }: SealedMessage) => {
    attempts.push(taken);
    if (missed === "") return {};
    if (missed !== undefined)
      return { missed: [{ receiver: "boss", error: missed }], taken: ["team"] };
    throw new SinkError("transient", "450 for boss", 450, { fields: takenBy(["team"]) });
  };
  bench.addSink("mail", { concurrency: 1 }, { send });
  return { bench, attempts, refuseForGood: (error: string) => void (missed = error) };
}

describe("a message that some of its receivers took", () => {
  it("is repeated for the others, also after a restart, and says nothing of the sink", async () => {
    const { bench, attempts, refuseForGood } = setUp();
    const first = bench.newPump();
    for (let index = 0; index < 8; index += 1) bench.add(`${index}`, { sink: "mail" });
    await first.start();
    await bench.clock.advance(HOUR);
    expect(bench.outbox.health("mail")?.breaker ?? "closed").toBe("closed");
    expect(attempts.slice(0, 8).every((taken) => taken === undefined)).toBe(true);
    expect(attempts.length).toBeGreaterThan(8);
    expect(attempts.slice(8).every((taken) => taken?.join() === "team")).toBe(true);
    await first.stop(0);
    attempts.length = 0;
    refuseForGood("550 no such user");
    await bench.newPump().start();
    await bench.clock.advance(12 * HOUR);
    expect(attempts.every((taken) => taken?.join() === "team")).toBe(true);
    expect(bench.outbox.messages.map(({ state, error }) => [state, error])).toEqual(
      Array.from({ length: 8 }, () => ["sent", "not taken by boss: 550 no such user"]),
    );
    expect(bench.opsAlerts).toEqual(Array.from({ length: 8 }, () => "part mail: boss"));
  });

  it("reaches those alone who do not have it when it is sent again, apart from what nobody has", async () => {
    const { bench, attempts, refuseForGood } = setUp();
    const { outbox, clock } = bench;
    refuseForGood("550 no such user");
    const [first, second] = ["1", "2"].map((subject) => makeEvent(subject));
    outbox.add(first as ChirpEvent, { sink: "mail", groupKey: "team" });
    const pump = bench.newPump();
    await pump.start();
    await clock.advance(SECOND);
    refuseForGood("");
    const again = async (event: ChirpEvent | undefined) => {
      const eventId = event?.id ?? "";
      const deliveryIds = (await outbox.findReplayable({ eventId })).map((one) => one.deliveryId);
      await outbox.replay({ deliveryIds, added: [], atMs: clock.now(), detail: { eventId } });
    };
    await again(first);
    outbox.add(second as ChirpEvent, { sink: "mail", groupKey: "team" });
    pump.wake();
    await clock.advance(MINUTE);
    expect(attempts).toEqual([undefined, ["team"], undefined]);
    // Everybody has it now: who asks for it again means everybody.
    await again(first);
    pump.wake();
    await clock.advance(MINUTE);
    expect(attempts.slice(3)).toEqual([undefined]);
  });

  it("is not repeated where the others refuse it for good", async () => {
    const { bench, attempts, refuseForGood } = setUp();
    refuseForGood("550 no such user");
    bench.add("1", { sink: "mail" });
    await bench.newPump().start();
    await bench.clock.advance(HOUR);
    expect(attempts).toHaveLength(1);
    expect(bench.opsAlerts).toEqual(["part mail: boss"]);
    await bench.clock.advance(SECOND);
  });
});
