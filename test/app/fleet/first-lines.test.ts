/**
 * Tests what a start logs about each watch when the replica that polls it started before anything
 * was registered.
 */
import { expect, it } from "vitest";
import { makeInnerReplicas } from "../../support/inner-replicas.ts";

const WORDS = ["zebra", "giraffe", "okapi", "quagga", "bongo", "kudu"] as const;
const searches = Object.fromEntries(
  WORDS.map((word) => [
    word,
    { type: "search", query: word, schedule: "@every 10s", strategy: "single" },
  ]),
);

it("logs one line for each first read, whichever replica makes it", async () => {
  const { clock, add, heldBy, log } = await makeInnerReplicas(searches, { leader: 1 });
  await add();
  await add();
  await clock.advance(30_000);
  for (const replica of [0, 1]) expect((await heldBy(replica)).length).toBeGreaterThan(0);
  const noted = log.lines.flatMap(
    ({ message }) => /^(\w+): 0 items noted/.exec(message)?.[1] ?? [],
  );
  expect(noted.toSorted()).toEqual(WORDS.toSorted());
});
