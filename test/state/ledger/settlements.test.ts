/** Answers reach the ledger with what is written next, soon, and whatever happens to that. */
import { expect, test } from "vitest";
import type { PollCommit } from "../../../src/model/poll-store.ts";
import type { Store } from "../../../src/model/store.ts";
import { loadDriver } from "../../../src/state/db/driver.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { openTemp, START_MS, memoryStatePath } from "../temp-state.ts";

const Database = loadDriver();

/**
 * A store with one request settled, and what another connection sees of it: 1 once the answer is in
 * the file.
 */
async function settledOne() {
  const path = memoryStatePath();
  const clock = createVirtualClock(START_MS);
  const store = await openTemp(path, { clock });
  const grant = await reserve(store);
  if (grant.kind !== "granted") throw new Error("expected a grant");
  await store.settle(grant.ledgerId, START_MS, 200);
  const answered = (ledgerId = grant.ledgerId) => {
    const other = new Database(path, { readonly: true });
    const value = other
      .prepare("select answered from ledger where id = ?")
      .pluck()
      .get(Number(ledgerId));
    other.close();
    return value;
  };
  expect(answered()).toBe(0);
  return { store, clock, answered };
}

const reserve = (store: Store) =>
  store.reserve({
    endpoint: "search",
    watch: "w",
    billed: true,
    atMs: START_MS,
    rate: { count: 9, intervalMs: 1_000 },
    holdMs: 31_000,
  });

const quietPoll = (expectedRevision: number): PollCommit => ({
  atMs: START_MS,
  source: { fingerprint: "a", expectedRevision, polledAtMs: START_MS, ok: true },
  targets: [],
  verdicts: [],
  events: [],
  deliveries: [],
});

test("an answer is written with the commit of its poll, and leaves no timer", async () => {
  const { store, clock, answered } = await settledOne();
  await store.commitPoll(quietPoll(0));
  expect(answered()).toBe(1);
  expect(clock.pending()).toBe(0);
});

test("an answer is written with the next request", async () => {
  const { store, answered } = await settledOne();
  await reserve(store);
  expect(answered()).toBe(1);
});

test("an answer that nothing follows is written ten milliseconds later", async () => {
  const { clock, answered } = await settledOne();
  await clock.advance(9);
  expect(answered()).toBe(0);
  await clock.advance(1);
  expect(answered()).toBe(1);
});

test("an answer waits on when its poll's commit is rolled back", async () => {
  const { store, clock, answered } = await settledOne();
  expect(await store.commitPoll(quietPoll(7))).toEqual({ status: "conflict" });
  expect(answered()).toBe(0);
  await clock.advance(10);
  expect(answered()).toBe(1);
});

test("an answer that comes while others are being written is written ten milliseconds later", async () => {
  const { store, clock, answered } = await settledOne();
  const next = await reserve(store);
  if (next.kind !== "granted") throw new Error("expected a grant");
  const committing = store.commitPoll(quietPoll(0));
  await Promise.resolve();
  await store.settle(next.ledgerId, START_MS, 200);
  await committing;
  expect(answered(next.ledgerId)).toBe(0);
  await clock.advance(10);
  expect(answered(next.ledgerId)).toBe(1);
});

test("an answer is written when the state is closed", async () => {
  const { store, clock, answered } = await settledOne();
  await store.close();
  expect(answered()).toBe(1);
  expect(clock.pending()).toBe(0);
});
