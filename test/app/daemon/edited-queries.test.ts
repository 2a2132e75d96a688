/** Tests when edited queries were last read, with a state on SQLite and with one on Postgres. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lastReadsOfEdited } from "../../../src/app/daemon/edited-queries.ts";
import type { Store } from "../../../src/model/store.ts";
import type { WatchRegistration } from "../../../src/model/watch-store.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../../state/temp-state.ts";
import { PostgresStates } from "../../state/postgres-states.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres.ts";

const search = (id: string, key: string, more: Partial<WatchRegistration> = {}) => ({
  ...{ id, type: "search", targets: [{ key, name: key }], ...more },
});

let server: PostgresServer;
let states: PostgresStates;
beforeAll(async () => {
  server = await startPostgres();
  states = await PostgresStates.on(server);
});
afterAll(() => server.remove());

describe.each([
  ["SQLite", () => openTemp(memoryStatePath())],
  ["Postgres", () => states.empty()],
])("queries that are edited while nobody reads them, on %s", (_, makeStore) => {
  const readAt = (store: Store, fingerprint: string, atMs: number) =>
    store.commitPoll({
      ...{ atMs, targets: [], verdicts: [], events: [], deliveries: [] },
      source: { fingerprint, expectedRevision: 0, polledAtMs: atMs, ok: true },
    });

  it("were read when their feed or their group was", async () => {
    const store = await makeStore();
    const before = ["alone", "shared", "kept", "unread", "old"].map((id) => search(id, `${id} 1`));
    await store.registerWatches(before, T0);
    await readAt(store, "alone 1", T0 + 10);
    await readAt(store, "shared 1", T0 + 1);
    await readAt(store, "old 1", T0 + 30);
    const members = { "shared 1": { checkedAtMs: T0 + 20 } };
    const groups = { first: { members: {} }, of_another_kind: { probes: 1 }, second: { members } };
    await store.saveLearned("groups", new Map(Object.entries(groups)));
    const after = [
      ...["alone", "shared", "unread"].map((id) => search(id, `${id} 2`)),
      search("kept", "kept 1"),
      search("renamed", "renamed 2", { movedFrom: "old" }),
      search("new", "new 1"),
    ];
    const readUntilMs = await lastReadsOfEdited(after, store);
    expect([...readUntilMs]).toEqual([
      ["alone", T0 + 10],
      ["shared", T0 + 20],
      ["unread", 0],
      ["renamed", T0 + 30],
    ]);
    const states = await store.registerWatches(after, T0 + 500, () => undefined, readUntilMs);
    const times = states.map(({ id, targets: [target] }) => [id, target?.registeredAtMs]);
    expect(Object.fromEntries(times)).toEqual({
      ...{ alone: T0 + 10, shared: T0 + 20, unread: T0, kept: T0, renamed: T0 + 30, new: T0 + 500 },
    });
    // The query is edited again before the service has answered.
    const again = [search("alone", "alone 3")];
    expect([...(await lastReadsOfEdited(again, store))]).toEqual([["alone", 0]]);
  });

  it("name no watch with several targets, of another type, or that is configured under both names", async () => {
    const store = await makeStore();
    const two = { targets: ["a", "b"].map((key) => ({ key, name: key })) };
    await store.registerWatches(
      [search("lists", "", two), search("typed", "typed 1"), search("old", "old 1")],
      T0,
    );
    const after = [
      search("lists", "", { targets: [{ key: "c", name: "c" }] }),
      search("typed", "typed 2", { type: "community_tweets" }),
      search("old", "old 1"),
      search("renamed", "renamed 1", { movedFrom: "old" }),
    ];
    expect([...(await lastReadsOfEdited(after, store))]).toEqual([]);
  });
});
