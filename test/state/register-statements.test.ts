/**
 * Registering watches takes as many statements for many as for few: on a server each of them is a
 * way there and back, while nobody else writes.
 */
import type { KyselyPlugin } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import type { WatchRegistration } from "../../src/model/watch-store.ts";
import { configure, kyselyOver, openHandle } from "../../src/state/db/sqlite.ts";
import { listWatches, registerWatches } from "../../src/state/watches/register-watches.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { memoryStatePath } from "./temp-state.ts";

const watchesOf = (...ids: readonly string[]): readonly WatchRegistration[] =>
  ids.map((id) => ({
    id,
    type: "search",
    targets: [0, 1].map((number) => ({ key: `${id} ${number}`, name: id })),
  }));

/**
 * How many statements it takes to put one in front of so many, to leave a target of each out, and
 * to remove them all again.
 */
async function countStatements(watches: number): Promise<readonly number[]> {
  let count = 0;
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    // Each execution has a result, and a statement is compiled only once per process.
    async transformResult({ result }) {
      count += 1;
      return result;
    },
  };
  const handle = openHandle(memoryStatePath(), { readonly: false, mustExist: true });
  configure(handle);
  const db = kyselyOver(handle, createVirtualClock(0));
  onTestFinished(() => db.destroy());
  const random = createSeededRandom(1);
  const ids = Array.from({ length: watches }, (_, number) => `w${number}`);
  await registerWatches(db, watchesOf(...ids), { random, nowMs: 1 });
  const counts: number[] = [];
  const first = watchesOf("first");
  for (const next of [
    [...first, ...watchesOf(...ids)],
    [
      ...first,
      ...watchesOf(...ids).map((watch) => ({ ...watch, targets: watch.targets.slice(0, 1) })),
    ],
    first,
  ]) {
    count = 0;
    await registerWatches(db.withPlugin(counting), next, { random, nowMs: 2 });
    counts.push(count);
    expect((await listWatches(db)).map(({ id, targets }) => [id, targets.length])).toEqual(
      next.map(({ id, targets }) => [id, targets.length]),
    );
  }
  return counts;
}

test("the number of statements does not grow with that of the watches", async () => {
  expect(await countStatements(60)).toEqual(await countStatements(2));
});

test("watches that are registered already are only read, also while somebody else writes", async () => {
  const path = memoryStatePath();
  const [one, other] = [0, 1].map(() => openHandle(path, { readonly: false, mustExist: true }));
  if (one === undefined || other === undefined) throw new Error("no handles");
  configure(one);
  const db = kyselyOver(one, createVirtualClock(0));
  onTestFinished(() => db.destroy());
  onTestFinished(() => void other.close());
  const random = createSeededRandom(1);
  let written = 0;
  const onWritten = () => void (written += 1);
  const before = await registerWatches(db, watchesOf("a", "b"), { random, nowMs: 1, onWritten });
  other.exec("begin immediate");
  expect(await registerWatches(db, watchesOf("a", "b"), { random, nowMs: 2, onWritten })).toEqual(
    before,
  );
  expect(written).toBe(1);
  other.exec("rollback");
  expect(await registerWatches(db, watchesOf("b"), { random, nowMs: 3 })).toMatchObject([
    { id: "b" },
  ]);
  expect(await registerWatches(db, watchesOf("a", "b"), { random, nowMs: 4 })).toMatchObject([
    { id: "a", returnedFromMs: 3 },
    { id: "b" },
  ]);
});
