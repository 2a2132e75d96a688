/**
 * What becomes of a message that some of its receivers took: it is repeated for the others alone,
 * and the operator hears of those who never take it.
 */
import { describe, expect, it } from "vitest";
import { type SealedMessage, SinkError, takenBy } from "../../src/model/sink.ts";
import { createBench, HOUR, SECOND } from "./pump-bench.ts";

/** A sink with two receivers, of which one refuses it for now. */
function setUp() {
  const bench = createBench();
  const attempts: (readonly string[] | undefined)[] = [];
  let missed: string | undefined;
  const send = async ({ taken }: SealedMessage) => {
    attempts.push(taken);
    if (missed !== undefined) return { missed: [{ receiver: "boss", error: missed }] };
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
