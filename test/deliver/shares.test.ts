/** Two processes that deliver from one outbox, each to its own destinations. */
import { expect, it } from "vitest";
import { createBench, SECOND } from "./pump-bench.ts";

it("delivers nothing more to a destination that it does not hold any more", async () => {
  const bench = createBench();
  let holds = true;
  const pump = bench.newPump({ holds: () => holds });
  await pump.start();
  bench.add("1");
  pump.wake();
  await bench.clock.advance(SECOND);
  holds = false;
  await pump.takeShare();
  bench.add("2");
  pump.wake();
  await bench.clock.advance(SECOND);
  expect(bench.subjects()).toEqual(["1"]);
  holds = true;
  await pump.takeShare();
  await bench.clock.advance(SECOND);
  expect(bench.subjects()).toEqual(["1", "2"]);
});
