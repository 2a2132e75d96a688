import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import {
  afterRead,
  afterRefusal,
  firstProbe,
  isDue,
  probedFields,
  type ProbeMemory,
  applyProbe,
  endpointToRead,
} from "../../../src/groups/probing/pending-changes.ts";
import { isSuspiciousProbe } from "../../../src/requests/suspicious-probe.ts";
import { fields, read, START } from "../../support/probed.ts";

const MIN = 60_000;

/**
 * Returns the minutes at which an account is read, when it is probed every two minutes and no read
 * finds anything.
 */
function readTimes(memory: ProbeMemory, change: JsonObject | null): readonly number[] {
  const times: number[] = [];
  let now = applyProbe(memory, change, 2 * MIN);
  for (let atMs = 2 * MIN; atMs <= 60 * MIN; atMs += 2 * MIN) {
    now = applyProbe(now, change, atMs);
    if (!isDue(now, atMs)) continue;
    times.push(atMs / MIN);
    now = afterRead(now, read({ endpoint: endpointToRead(now) }), atMs);
  }
  expect(now.open).toBeUndefined();
  return times;
}

describe("a change", () => {
  it("requests nothing while no field changes", () => {
    expect(isDue(applyProbe(START, fields(10), MIN), MIN)).toBe(false);
  });

  it.each([
    ["one post more", fields(11)],
    ["one post less", fields(9)],
    ["another pinned post", fields(10, ["5"])],
    ["an account that is missing", null],
  ])(
    "of %s is read at once, on the next three ticks, and after 1, 5 and 15 minutes",
    (_, change) => {
      expect(readTimes(START, change)).toEqual([2, 4, 6, 8, 10, 16, 32]);
    },
  );

  it("is discharged by as many posts as the counter promises, and not by fewer", () => {
    const open = applyProbe(START, fields(13), MIN);
    const half = afterRead(open, read({ newPosts: 2 }), MIN);
    expect(half.open).toMatchObject({ owed: 1, reads: 1 });
    expect(afterRead(half, read({ newPosts: 1 }), 2 * MIN).open).toBeUndefined();
  });

  it("begins the reads anew when the counter moves again, and remembers the probe before the first move", () => {
    let memory = applyProbe(applyProbe(START, fields(10), MIN), fields(11), 2 * MIN);
    memory = afterRead(memory, read(), 2 * MIN);
    memory = applyProbe(memory, fields(13), 4 * MIN);
    expect(memory.open).toEqual({
      sinceMs: MIN,
      calmMs: 2 * MIN,
      owed: 3,
      reads: 0,
      dueMs: 4 * MIN,
    });
  });

  it("that goes down and up again is one that no post accounts for, until posts do", () => {
    const down = applyProbe(START, fields(9), MIN);
    expect(down.open?.owed).toBeNull();
    expect(applyProbe(down, fields(10), 2 * MIN).open?.owed).toBe(1);
  });

  it("is never dropped before its last read, whatever counters do", () => {
    const steps = fc.array(
      fc.record({
        tweets: fc.option(fc.integer({ min: 0, max: 5 })),
        found: fc.integer({ min: 0, max: 2 }),
      }),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(steps, (all) => {
        let memory = START;
        for (const [index, { tweets, found }] of all.entries()) {
          const before = memory;
          memory = applyProbe(memory, tweets === null ? null : fields(tweets), index * MIN);
          const moved = JSON.stringify(before.fields) !== JSON.stringify(memory.fields);
          if (moved) expect(isDue(memory, index * MIN)).toBe(true);
          const { open } = memory;
          if (!isDue(memory, index * MIN) || open === undefined) continue;
          memory = afterRead(memory, read({ newPosts: found }), index * MIN);
          const isPaid = open.owed !== null && found >= open.owed;
          if (memory.open === undefined) expect(isPaid || open.reads === 6).toBe(true);
        }
      }),
    );
  });
});

describe("the endpoint to read", () => {
  it("turns to the timeline when the search stays silent about a post that was promised", () => {
    let memory = applyProbe(START, fields(11), MIN);
    const ways = [1, 2, 3].map((minute) => {
      const way = endpointToRead(memory);
      memory = afterRead(memory, read({ endpoint: way }), minute * MIN);
      return way;
    });
    expect(ways).toEqual(["search", "timeline", "timeline"]);
  });

  it("is the timeline after it had three times what the search did not show", () => {
    let memory: ProbeMemory = { ...START, probedAtMs: MIN / 2 };
    for (const tweets of [11, 12, 13]) {
      memory = applyProbe(memory, fields(tweets), MIN);
      expect(endpointToRead(memory)).toBe("search");
      for (let reads = 0; reads < 2; reads += 1) {
        const way = endpointToRead(memory);
        memory = afterRead(
          memory,
          read({ endpoint: way, newPosts: way === "timeline" ? 1 : 0 }),
          MIN,
        );
      }
    }
    expect(endpointToRead(applyProbe(memory, fields(14), MIN))).toBe("timeline");
  });

  it("is the search again now and then, the seldomer the oftener it was silent, and for good once it shows something", () => {
    let memory: ProbeMemory = { ...START, probedAtMs: MIN / 2 };
    const asked: number[] = [];
    for (let post = 1; post <= 40; post += 1) {
      memory = applyProbe(memory, fields(10 + post), MIN);
      if (endpointToRead(memory) === "search") {
        asked.push(post);
        memory = afterRead(memory, read(), MIN);
      }
      memory = afterRead(memory, read({ endpoint: endpointToRead(memory), newPosts: 1 }), MIN);
      expect(memory.open).toBeUndefined();
    }
    expect(asked).toEqual([1, 2, 3, 5, 9, 17, 33]);
    memory = afterRead(
      applyProbe({ ...memory, hidden: 64 }, fields(99), MIN),
      read({ newPosts: 49 }),
      MIN,
    );
    expect(memory.hidden).toBeUndefined();
  });

  it("is the search again when it shows something in between", () => {
    let memory: ProbeMemory = { ...START, hidden: 1 };
    memory = afterRead(applyProbe(memory, fields(11), MIN), read({ newPosts: 1 }), MIN);
    expect(memory.hidden).toBeUndefined();
  });

  it("asks the timeline for nothing when no post was promised", () => {
    const memory = applyProbe(START, fields(9), MIN);
    expect(
      endpointToRead({ ...memory, open: { sinceMs: 0, owed: null, reads: 5, dueMs: 0 } }),
    ).toBe("search");
  });
});

describe("a missing account", () => {
  const gone = afterRefusal(applyProbe(START, null, MIN), MIN);

  it("is left alone once its timeline was refused, but for once a day", () => {
    expect(isDue(applyProbe(gone, null, 2 * MIN), 2 * MIN)).toBe(false);
    expect(isDue(gone, 25 * 60 * MIN)).toBe(true);
  });

  it("is read at once when it can be seen again, back to the probe before it went", () => {
    const back = applyProbe(applyProbe(gone, null, 300 * MIN), fields(12), 301 * MIN);
    expect(isDue(back, 301 * MIN)).toBe(true);
    expect(back.open).toMatchObject({ sinceMs: 0, owed: 2 });
  });

  it("is none that the probe shows: a timeline that fails then is tried again", () => {
    const seen = applyProbe(START, fields(11), MIN);
    expect(afterRefusal(seen, MIN)).toBe(seen);
  });
});

it("takes a probe for suspicious that shows none of several accounts, all of which it had shown before", () => {
  const [gone, here, never] = [
    { before: true, now: false },
    { before: true, now: true },
    { before: false, now: false },
  ];
  expect(isSuspiciousProbe([gone, gone, gone, never])).toBe(true);
  expect(isSuspiciousProbe([gone, gone, gone, here])).toBe(false);
  expect(isSuspiciousProbe([gone, gone, never])).toBe(false);
  expect(isSuspiciousProbe([never, never, never])).toBe(false);
});

describe("an account with unreliable counters", () => {
  it("is one of which a read, full poll or not, finds posts that its counters should have shown", () => {
    expect(
      afterRead(START, read({ isFull: true, newPosts: 1, newBeforeProbe: 1 }), MIN).isBlind,
    ).toBe(true);
    expect(afterRead(START, read({ newPosts: 0, newBeforeProbe: 1 }), MIN).isBlind).toBe(true);
  });

  it("is not one that posted after its last probe, or whose change is open", () => {
    expect(afterRead(START, read({ isFull: true, newPosts: 1 }), MIN).isBlind).toBeUndefined();
    const open = applyProbe(START, fields(11), MIN);
    expect(
      afterRead(open, read({ isFull: true, newPosts: 1, newBeforeProbe: 1 }), MIN).isBlind,
    ).toBeUndefined();
  });

  it("is not one whose promised posts were in no answer at first, until a full poll shows what there is", () => {
    const blank = read({ endpoint: "timeline", isFull: true, isSuspicious: true });
    let memory = applyProbe(START, fields(12), MIN);
    for (let minute = 1; memory.open !== undefined; minute += 16)
      memory = afterRead(memory, blank, minute * MIN);
    expect(memory).toMatchObject({ fullAtMs: 0, unfound: 2 });
    const found = afterRead(
      memory,
      read({ isFull: true, newPosts: 2, newBeforeProbe: 2 }),
      200 * MIN,
    );
    expect(found).toEqual({ ...firstProbe(fields(12), MIN), fullAtMs: 200 * MIN });
    expect(afterRead(memory, read({ newBeforeProbe: 1 }), 200 * MIN)).toMatchObject({ unfound: 1 });
    expect(afterRead(memory, read({ isFull: true, newBeforeProbe: 3 }), 200 * MIN).isBlind).toBe(
      true,
    );
    expect(afterRead(found, read({ isFull: true, newBeforeProbe: 1 }), 300 * MIN).isBlind).toBe(
      true,
    );
  });

  it("is believed again when its counter moved three times, and hid nothing meanwhile", () => {
    const unreliable: ProbeMemory = { ...START, isBlind: true };
    const after = (memory: ProbeMemory, count: number) =>
      afterRead(applyProbe(memory, fields(count), count * MIN), read({ newPosts: 1 }), count * MIN);
    const twice = after(after(unreliable, 11), 12);
    expect(twice.isBlind).toBe(true);
    expect(after(twice, 13)).not.toHaveProperty("isBlind");
    const hiding = afterRead(
      twice,
      read({ isFull: true, newPosts: 1, newBeforeProbe: 1 }),
      12 * MIN,
    );
    expect(after(hiding, 14).isBlind).toBe(true);
  });

  it("stays one while other fields move, or one move is read again", () => {
    const unreliable: ProbeMemory = { ...START, isBlind: true };
    let moved = applyProbe(unreliable, fields(13), MIN);
    for (let minute = 1; minute < 6; minute += 1)
      moved = afterRead(moved, read({ newPosts: 0 }), minute * MIN);
    expect(moved.isBlind).toBe(true);
    let memory = unreliable;
    for (let minute = 1; minute < 6; minute += 1)
      memory = afterRead(
        applyProbe(memory, fields(10 - minute), minute * MIN),
        read({ newPosts: 0 }),
        minute * MIN,
      );
    expect(memory.isBlind).toBe(true);
  });
});

it("takes a full poll that is dated later than now is for one of this moment: the clock was set back", () => {
  expect(applyProbe(firstProbe(fields(10), 100 * MIN), fields(10), MIN)).toEqual(
    firstProbe(fields(10), MIN),
  );
  const suspicious = afterRead(
    firstProbe(fields(10), 0),
    read({ isFull: true, isSuspicious: true }),
    100 * MIN,
  );
  expect(suspicious.blindAtMs).toBe(100 * MIN);
  expect(applyProbe(suspicious, fields(10), MIN).blindAtMs).toBe(MIN);
});

it("reads the fields that are named, and at nothing else of a profile", () => {
  expect(probedFields({ id: "7", tweets_count: 3, followers_count: 9 }, ["tweets_count"])).toEqual({
    tweets_count: 3,
  });
  expect(probedFields(undefined, ["tweets_count"])).toBeNull();
});
