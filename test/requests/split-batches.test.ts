import { describe, expect, it } from "vitest";
import type { GateRequest } from "../../src/requests/reservation.ts";
import { createSplitBatches } from "../../src/requests/split-batches.ts";
import { sleep } from "../../src/model/clock.ts";

import { rememberingLog } from "../state/temp-state.ts";
import { makeTweet } from "../support/make-event.ts";
import { failure } from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const MINUTE = 60_000;

const idsOf = ({ params }: GateRequest) => params["tweet_links"] as readonly string[];
const ids = (count: number) => Array.from({ length: count }, (_, index) => String(1_000 + index));

/** Sets up a service. `refuses` decides which entries make a request fail with 400. */
function setup(refuses: (id: string) => boolean) {
  const clock = createVirtualClock(1_000_000);
  const sent: (readonly string[])[] = [];
  const world = { refuses };
  const split = createSplitBatches(
    async (request) => {
      sent.push(idsOf(request));
      await sleep(clock, 50);
      if (idsOf(request).some((id) => world.refuses(id)))
        throw failure("bad_request", "wrong format");
      return { tweets: idsOf(request).map((id) => makeTweet(id)) };
    },
    clock,
    rememberingLog(),
  );
  const base = {
    endpoint: "tweet-info-bulk",
    watch: "w",
    priority: "normal",
    purpose: "poll",
  } as const;
  /** Sends a batch and returns its answer and the number of requests. */
  const ask = async (
    entries: readonly string[],
    changes: Partial<GateRequest> = { isSplit: true },
  ) => {
    const before = sent.length;
    const answer = split({
      ...base,
      source: "a",
      params: { tweet_links: entries },
      ...changes,
    }).then(
      ({ tweets = [], refused = new Map() }) => ({
        found: tweets.map(({ id }) => id).toSorted(),
        refused: [...refused],
      }),
      (error: unknown) => String(error),
    );
    await clock.advance(MINUTE - 1_000);
    return { answer: await answer, requests: sent.length - before };
  };
  return { clock, sent, world, ask };
}

describe("a batch with an entry that the service refuses", () => {
  it.each(["1000", "1037", "1099"])(
    "is answered without it, for fourteen requests more at most, once: %s",
    async (bad) => {
      const { ask } = setup((id) => id === bad);
      const answer = {
        found: ids(100).filter((id) => id !== bad),
        refused: [[bad, "wrong format"]],
      };
      const first = await ask(ids(100));
      expect(first.answer).toEqual(answer);
      expect(first.requests).toBeLessThanOrEqual(1 + 14);
      expect(await ask(ids(100))).toEqual({ answer, requests: 1 });
    },
  );

  it("asks for that entry alone only rarely: seven times in three days", async () => {
    const { clock, ask, sent } = setup((id) => id === "1002");
    await ask(ids(3));
    const before = sent.length;
    for (let poll = 0; poll < 3 * 24 * 6; poll += 1) {
      await clock.advance(9 * MINUTE);
      await ask(ids(3));
    }
    expect(sent.slice(before).filter((entries) => entries.includes("1002"))).toEqual(
      Array.from({ length: 7 }, () => ["1002"]),
    );
  });

  it("has it again once the service takes it", async () => {
    const { clock, ask, world } = setup((id) => id === "1001");
    await ask(ids(10));
    world.refuses = () => false;
    await clock.advance(MINUTE);
    expect(await ask(ids(10))).toEqual({ answer: { found: ids(10), refused: [] }, requests: 2 });
    expect(await ask(ids(10))).toMatchObject({ requests: 1 });
  });

  it("has all of them found, where they are several", async () => {
    const bad = new Set(["1003", "1060", "1099"]);
    const { ask } = setup((id) => bad.has(id));
    const { answer, requests } = await ask(ids(100));
    expect(answer).toEqual({
      found: ids(100).filter((id) => !bad.has(id)),
      refused: [...bad].map((id) => [id, "wrong format"]),
    });
    expect(requests).toBeLessThanOrEqual(1 + 3 * 14);
    expect((await ask(ids(100))).requests).toBe(1);
  });

  it("is not split if every caller needs all entries", async () => {
    const { ask } = setup((id) => id === "1001");
    expect(await ask(ids(10), {})).toEqual({
      answer: expect.stringContaining("wrong format"),
      requests: 1,
    });
  });
});

describe("the service's own trouble", () => {
  it("costs six requests more, and not again for six hours, whatever is asked for", async () => {
    const { ask } = setup(() => true);
    expect(await ask(ids(100))).toEqual({
      answer: expect.stringContaining("wrong format"),
      requests: 7,
    });
    let requests = 0;
    for (let poll = 0; poll < 5 * 60; poll += 1)
      requests += (await ask(ids(80), { isSplit: true, source: `s${poll % 3}` })).requests;
    expect(requests).toBe(5 * 60);
  });

  it("costs nothing more within an hour, where all of them were answered before", async () => {
    const { ask, world } = setup(() => false);
    await ask(ids(100));
    world.refuses = () => true;
    for (let poll = 0; poll < 58; poll += 1) expect((await ask(ids(100))).requests).toBe(1);
  });

  it("quarantines nobody", async () => {
    const { ask, world } = setup(() => true);
    await ask(ids(2));
    world.refuses = () => false;
    expect(await ask(ids(2))).toEqual({ answer: { found: ids(2), refused: [] }, requests: 1 });
  });
});

it("finds an entry that was answered before and is refused for an hour", async () => {
  const { ask, world } = setup(() => false);
  await ask(ids(100));
  world.refuses = (id) => id === "1099";
  for (let poll = 0; poll < 62; poll += 1) await ask(ids(100));
  expect(await ask(ids(100))).toEqual({
    answer: { found: ids(99), refused: [["1099", "wrong format"]] },
    requests: expect.any(Number),
  });
});

it("quarantines no entry while another request fails for a different reason", async () => {
  const { ask, world } = setup((id) => id === "1001");
  const { refuses } = world;
  let asked = 0;
  world.refuses = (id) => {
    asked += 1;
    if (asked > 12) throw failure("transient");
    return refuses(id);
  };
  expect((await ask(ids(10))).answer).toContain("transient");
  world.refuses = refuses;
  expect((await ask(ids(10))).answer).toMatchObject({ refused: [["1001", "wrong format"]] });
});
