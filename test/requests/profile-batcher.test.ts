import { describe, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import { type Asker, createProfileBatcher } from "../../src/requests/profile-batcher.ts";
import type { GateRequest } from "../../src/requests/reservation.ts";
import { makeUser } from "../support/make-event.ts";
import { failure } from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const asker = (source: string, changes: Partial<Asker> = {}): Asker => ({
  source,
  watch: source,
  priority: "normal",
  purpose: "poll",
  ...changes,
});
const ids = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => String(1_000 + from + i));

function setup(refuse: (request: GateRequest) => void = () => undefined) {
  const clock = createVirtualClock(1_000_000);
  const sent: GateRequest[] = [];
  const batcher = createProfileBatcher(
    {
      async request(request) {
        sent.push(request);
        await sleep(clock, 100);
        refuse(request);
        const asked = request.params["user_ids"] as readonly string[];
        return { users: asked.filter((id) => id !== "1001").map((id) => makeUser(id)) };
      },
    },
    clock,
    () => undefined,
  );
  const sizes = () => sent.map(({ params }) => (params["user_ids"] as readonly string[]).length);
  return { clock, sent, batcher: batcher, sizes };
}

it.each([
  // A request takes 100 ms. Rows: when a second caller asks, how old an answer it accepts, and the
  // number of requests.
  [30, 0, 2],
  [30, 9, 2],
  [30, 15, 1],
  [60, 30, 2],
  [60, 100, 1],
  [10, 0, 1],
])(
  "a request under way is joined after %i ms by one who takes answers of %i ms: %i requests",
  async (afterMs, maxAgeMs, requests) => {
    const { clock, batcher, sent } = setup();
    const first = batcher.ask(asker("a"), ["1005"], 0);
    await clock.advance(afterMs);
    const atMs = clock.now();
    const second = batcher.ask(asker("b"), ["1005"], maxAgeMs);
    await clock.advance(1_000);
    await first;
    expect(sent).toHaveLength(requests);
    expect((await second).get("1005")?.atMs).toBeGreaterThanOrEqual(atMs - maxAgeMs);
  },
);

describe("profiles asked for in the same instant", () => {
  it("come in one request, each account once", async () => {
    const { clock, batcher, sizes } = setup();
    const both = Promise.all([
      batcher.ask(asker("a"), ids(60), 0),
      batcher.ask(asker("b"), ids(60, 40), 0),
    ]);
    await clock.advance(1_000);
    const [first, second] = await both;
    expect(sizes()).toEqual([100]);
    expect([...first.keys()]).toEqual(ids(60));
    expect(second.get("1099")?.user?.id).toBe("1099");
    // The absence of an account is an answer, too.
    expect(first.get("1001")).toEqual({
      user: undefined,
      atMs: 1_000_020,
      sentMs: expect.any(Number),
    });
  });

  it("are asked for by the most urgent of those who want them, and paid by the first", async () => {
    const { clock, batcher, sent } = setup();
    void batcher.ask(asker("a", { priority: "low" }), ids(3), 0);
    void batcher.ask(asker("b", { priority: "high" }), ids(3), 0);
    await clock.advance(1_000);
    expect(sent).toMatchObject([{ watch: "a", priority: "high", endpoint: "info-batch" }]);
  });

  it("leave spare slots to piggybacked accounts, whose owner gets what any answer showed", async () => {
    const { clock, batcher, sizes } = setup();
    const shown: string[][] = [];
    const slots: number[] = [];
    batcher.fillSpareSlots({
      choose(places, asked) {
        slots.push(places);
        return ids(400, 500)
          .filter((id) => !asked.has(id))
          .slice(0, places);
      },
      receive: (seen) => void shown.push([...seen.keys()]),
    });
    const all = batcher.ask(asker("a"), ids(130), 0);
    await clock.advance(1_000);
    expect([...(await all).keys()]).toEqual(ids(130));
    expect(sizes()).toEqual([100, 100]);
    expect(slots).toEqual([70]);
    expect(shown).toEqual([ids(100), [...ids(30, 100), ...ids(70, 500)]]);
  });

  it.each([false, true])(
    "answer whoever asks for a piggybacked one meanwhile; refused together: %s",
    async (isRefused) => {
      const { clock, batcher, sizes } = setup(({ params }) => {
        if (isRefused && (params["user_ids"] as readonly string[]).length > 4)
          throw failure("bad_request");
      });
      batcher.fillSpareSlots({
        choose: (places, asked) => ids(5, 500).filter((id) => places > 0 && !asked.has(id)),
        receive: () => undefined,
      });
      const first = batcher.ask(asker("a"), ids(3), 0);
      await clock.advance(60);
      const second = batcher.ask(asker("b"), ids(2, 500), 1_000);
      await clock.advance(1_000);
      expect([...(await first).keys()]).toEqual(ids(3));
      expect((await second).get("1500")?.user?.id).toBe("1500");
      expect(sizes()).toEqual(isRefused ? [8, 3, 2] : [8]);
    },
  );

  it("are asked for without piggybacked accounts where the service refuses them together, and an answer without anybody is passed to nobody", async () => {
    const { clock, batcher, sizes } = setup(({ params }) => {
      if ((params["user_ids"] as readonly string[]).length > 1) throw failure("bad_request");
    });
    const shown: string[][] = [];
    batcher.fillSpareSlots({
      choose: () => ids(5, 500),
      receive: (seen) => void shown.push([...seen.keys()]),
    });
    const one = batcher.ask(asker("a"), ids(1), 0);
    await clock.advance(1_000);
    expect((await one).get("1000")?.user?.id).toBe("1000");
    expect(sizes()).toEqual([6, 1]);
    expect(shown).toEqual([ids(1)]);
    const missing = batcher.ask(asker("a"), ids(1, 1), 0);
    await clock.advance(1_000);
    expect((await missing).get("1001")?.user).toBeUndefined();
    expect(shown).toEqual([ids(1)]);
  });

  it("are asked for apart where one may be sent and the other not", async () => {
    const { clock, batcher, sizes } = setup();
    void batcher.ask(asker("a"), ids(3), 0);
    void batcher.ask(asker("b", { purpose: "baseline" }), ids(3), 0);
    await clock.advance(1_000);
    expect(sizes()).toEqual([3, 3]);
  });

  it("are asked for by each alone when the service refuses them together", async () => {
    const { clock, batcher, sizes } = setup(({ params }) => {
      if ((params["user_ids"] as readonly string[]).length > 50) throw failure("bad_request");
    });
    const good = batcher.ask(asker("a"), ids(40), 0);
    const bad = batcher.ask(asker("b"), ids(60, 20), 0).catch((error: unknown) => error);
    await clock.advance(1_000);
    expect((await good).size).toBe(40);
    expect(await bad).toMatchObject({ kind: "bad_request" });
    expect(sizes()).toEqual([80, 40, 60]);
  });
});

describe("profiles asked for a little later", () => {
  it("are the earlier ones for a caller that accepts their age", async () => {
    const { clock, batcher, sizes } = setup();
    void batcher.ask(asker("a"), ids(3), 0);
    await clock.advance(5_000);
    const later = batcher.ask(asker("b"), ids(4), 6_000);
    void batcher.ask(asker("c"), ids(2), 1_000);
    await clock.advance(1_000);
    expect((await later).get("1000")?.atMs).toBe(1_000_020);
    expect(sizes()).toEqual([3, 3]);
  });

  it("are new ones after the clock went back", async () => {
    const { clock, batcher, sizes } = setup();
    void batcher.ask(asker("a"), ids(3), 0);
    await clock.advance(10_000);
    clock.jump(-3_600_000);
    void batcher.ask(asker("b"), ids(3), 6_000);
    await clock.advance(1_000);
    expect(sizes()).toEqual([3, 3]);
  });

  it("are those under way", async () => {
    const { clock, batcher, sizes } = setup();
    void batcher.ask(asker("a"), ids(3), 0);
    await clock.advance(60);
    const joined = batcher.ask(asker("b"), ids(3), 6_000);
    await clock.advance(1_000);
    expect((await joined).size).toBe(3);
    expect(sizes()).toEqual([3]);
  });
});
