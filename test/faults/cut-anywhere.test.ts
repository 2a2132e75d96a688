/**
 * Cuts a process at three of the moments at which it writes or sends. `npm run test:long` cuts at
 * all of them.
 */
import { beforeAll, expect, it } from "vitest";
import { type Cut, playCut, recordCuts } from "../sim/crash/cut.ts";
import { warmUp } from "../sim/run/warm-up.ts";

/** A poll is not stored yet; a message is stored and not sent yet; an answer is not known yet. */
const POINTS = ["store.commitPoll:call", "store.seal:committed", "http.request:answer"];

beforeAll(warmUp);

it("loses nothing and doubles nothing where a process is cut", async () => {
  const { cuts, points, objections } = await recordCuts(1);
  expect(objections).toEqual([]);
  expect(points).toBeGreaterThan(cuts.length);
  for (const point of POINTS) {
    const cut = middle(cuts.filter((one) => one.point === point));
    const { lost, doubled, others } = await playCut(cut);
    expect({ cut, lost, doubled, others }).toEqual({ cut, lost: [], doubled: [], others: [] });
  }
});

const middle = (cuts: readonly Cut[]): Cut => cuts[Math.floor(cuts.length / 2)] as Cut;
