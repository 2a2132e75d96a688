/**
 * Tests that two worlds of one seed give the same answers, even if they are asked about different
 * things in different orders and at different steps of the clock.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createShow } from "../../src/sandbox/world/shown/show.ts";
import { createWorld, type World } from "../../src/sandbox/world/world.ts";
import { START_MS } from "./ask.ts";

const DAY_MS = 86_400_000;
const ACCOUNTS = 150;
const open = (seed = 1): World => createWorld({ seed, accounts: ACCOUNTS, startMs: START_MS });

function* first<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    if (left-- === 0) return;
    yield item;
  }
}

interface Question {
  readonly what: keyof typeof ASK;
  readonly key: number;
  readonly afterMs: number;
}

/** Requests for everything that has an answer. */
const ASK = {
  user: (world: World, key: number, nowMs: number) => createShow(world, nowMs).user(key),
  timeline: (world: World, key: number, nowMs: number) =>
    [...first(world.tweets.scanBy([key], nowMs), 15)].map((record) =>
      createShow(world, nowMs).tweet(record),
    ),
  search: (world: World, _key: number, nowMs: number) =>
    [...first(world.tweets.scan(nowMs), 15)].map((record) =>
      createShow(world, nowMs).tweet(record),
    ),
  answers: (world: World, key: number, nowMs: number) =>
    [...first(world.tweets.scanBy([key % 5], nowMs), 5)].map((record) =>
      world.tweets.answersTo(record, nowMs).map(({ id }) => id),
    ),
  followers: (world: World, key: number, nowMs: number) => world.follows.recent(key, nowMs),
  following: (world: World, key: number, nowMs: number) =>
    world.follows.recentFollowings(key, nowMs),
  members: (world: World, key: number, nowMs: number) => {
    const groups = [...world.groups.communities(), ...world.groups.lists()];
    return world.groups.membersOf(groups[key % groups.length] as (typeof groups)[number], nowMs);
  },
  trends: (world: World, _key: number, nowMs: number) => world.trends.at(1, nowMs),
  spaces: (world: World, _key: number, nowMs: number) => world.spaces.latest(nowMs, 8),
  score: (world: World, key: number, nowMs: number) => world.scores.changes(key, nowMs),
  isGone: (world: World, key: number, nowMs: number) => world.at(nowMs).people.isReadable(key),
};

const question: fc.Arbitrary<Question> = fc.record({
  what: fc.constantFrom(...(Object.keys(ASK) as (keyof typeof ASK)[])),
  key: fc.nat(ACCOUNTS - 1),
  afterMs: fc.nat(12 * DAY_MS),
});
const answer = (world: World, { what, key, afterMs }: Question): unknown =>
  ASK[what](world, key, START_MS + afterMs);

test("the order of questions and the steps of the clock change no answer", () => {
  fc.assert(
    fc.property(
      fc.array(question, { minLength: 3, maxLength: 12 }),
      fc.infiniteStream(fc.nat()),
      (questions, chance) => {
        const shuffled = questions
          .map((each) => ({ each, at: chance.next().value }))
          .sort((a, b) => a.at - b.at);
        const [one, other] = [open(), open()];
        const answers = new Map(questions.map((each) => [each, answer(one, each)]));
        for (const { each } of shuffled) expect(answer(other, each)).toEqual(answers.get(each));
      },
    ),
    { numRuns: 25 },
  );
});

test("a tweet seen in one world is found by its id in another that never listed it", () => {
  const nowMs = START_MS + DAY_MS;
  for (const record of first(open().tweets.scan(nowMs), 50))
    expect(open().tweets.find(record.id)).toEqual(record);
});

test("another seed is another world", () => {
  expect(answer(open(2), { what: "search", key: 0, afterMs: 0 })).not.toEqual(
    answer(open(1), { what: "search", key: 0, afterMs: 0 }),
  );
});
