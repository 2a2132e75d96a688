import { expect, it } from "vitest";
import { Revisions } from "../../../src/app/fleet/revisions.ts";
import type { Config } from "../../../src/config/config.ts";
import { PLANNER_VERSION } from "../../../src/groups/group-polls.ts";
import type { Membership, ReplicaState } from "../../../src/model/replicas.ts";
import { NO_SIGNALS } from "../../../src/model/signals.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import type { OpenedStore } from "../../../src/state/open.ts";
import { loadText } from "../../config/load-text.ts";
import { memoryStatePath, openTemp, rememberingLog, START_MS } from "../../state/temp-state.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

async function configOf(query: string, key = "k"): Promise<Config> {
  const loaded = await loadText(`version: 1
api: { base_url: "http://127.0.0.1:1", key: ${key} }
watches: { brand: { type: search, query: ${query} } }
sinks: { out: { type: console } }
`);
  if (!loaded.ok) throw new Error("not loaded");
  return loaded.config;
}

/** Opens the revisions of a replica. `others`: the configurations of other replicas. */
async function openRevisions(
  store: OpenedStore,
  id: string | undefined,
  others: readonly string[] = [],
) {
  let mayLead: boolean | undefined;
  const setMayLead = (may: boolean) => {
    mayLead = may;
  };
  const membership = id === undefined ? undefined : ({ id, setMayLead } as Membership);
  const known = others.map(
    (config, n): ReplicaState => ({
      id: `other${n}`,
      name: "h",
      config,
      isLeading: false,
      joinedAtMs: 0,
    }),
  );
  const revisions = await Revisions.open({
    store: { ...store, replicas: async () => known },
    signals: NO_SIGNALS,
    membership,
    clock: createVirtualClock(START_MS),
    hash: sha256,
    log: rememberingLog(),
  });
  return { revisions, mayLead: () => mayLead };
}

it("a daemon on a file returns to an older configuration, which is recorded", async () => {
  const store = await openTemp(memoryStatePath());
  const { revisions } = await openRevisions(store, undefined);
  for (const query of ["one", "two", "one", "one"]) {
    expect(await revisions.refusalOf(await configOf(query))).toBeUndefined();
    await revisions.propose(await configOf(query), "reload");
  }
  expect(revisions.superseded()).toBeUndefined();
  expect((await store.configRevisions()).map(({ number }) => number)).toEqual([3, 2, 1]);
});

it("a replica that starts with a superseded configuration waits, does not lead, and says how to go on", async () => {
  const store = await openTemp(memoryStatePath());
  const { revisions: first } = await openRevisions(store, "a");
  await first.propose(await configOf("one"), "start");
  await first.propose(await configOf("two"), "reload");
  const { revisions, mayLead } = await openRevisions(store, "b");
  await revisions.propose(await configOf("one"), "start");
  expect([revisions.isWaiting(), mayLead()]).toEqual([true, false]);
  expect(revisions.superseded()).toMatch(
    /superseded by revision 2 of .*this replica waits: update the file, or run chirpwatch config activate/,
  );
  expect(await revisions.refusalOf(await configOf("one"))).toMatch(
    /it is revision 1, which revision 2/,
  );
  await revisions.propose(await configOf("two"), "reload");
  expect([revisions.isWaiting(), revisions.superseded(), mayLead()]).toEqual([
    false,
    undefined,
    true,
  ]);
});

it("a replica goes on with a superseded configuration until another one has the current one, and then waits for good", async () => {
  const store = await openTemp(memoryStatePath());
  const [one, two] = [await configOf("one"), await configOf("two")];
  const others: string[] = [];
  const { revisions, mayLead } = await openRevisions(store, "a", others);
  await revisions.propose(one, "start");
  await store.proposeConfig({
    hash: revisions.digestOf(two),
    atMs: START_MS,
    cause: "activate",
    by: "alice",
    mayGoBack: true,
  });
  expect(await revisions.review(one)).toBe(true);
  expect([revisions.isWaiting(), mayLead(), revisions.superseded()]).toEqual([
    false,
    true,
    expect.stringMatching(/no replica has loaded that one/),
  ]);
  expect(await revisions.review(one)).toBe(false);
  const { revisions: later, mayLead: laterMayLead } = await openRevisions(store, "a", [
    revisions.publishedOf(two),
  ]);
  await later.propose(one, "start");
  expect([later.isWaiting(), laterMayLead()]).toEqual([true, false]);
  await store.proposeConfig({
    hash: revisions.digestOf(one),
    atMs: START_MS,
    cause: "activate",
    by: "alice",
    mayGoBack: true,
  });
  await later.review(one);
  expect([later.isWaiting(), laterMayLead()]).toEqual([false, true]);
});

it("the digest depends on the secrets and on the state, and not on where the file is", async () => {
  const [store, other] = [await openTemp(memoryStatePath()), await openTemp(memoryStatePath())];
  const { revisions } = await openRevisions(store, "a");
  const config = await configOf("one");
  const moved = { ...config, files: ["/elsewhere"], server: { ...config.server, port: 1 } };
  expect(revisions.digestOf(moved)).toBe(revisions.digestOf(config));
  expect(revisions.digestOf(await configOf("one", "other"))).not.toBe(revisions.digestOf(config));
  const { revisions: elsewhere } = await openRevisions(
    { ...other, configSalt: async () => "another" },
    "a",
  );
  expect(elsewhere.digestOf(config)).not.toBe(revisions.digestOf(config));
  expect(await store.configSalt()).toBe(await store.configSalt());
});

it("the audit has a row for a configuration that was activated, and none for one that was current already or came with a file", async () => {
  const store = await openTemp(memoryStatePath());
  const propose = (hash: string, cause: "reload" | "activate") =>
    store.proposeConfig({
      hash,
      atMs: START_MS,
      cause,
      by: "alice",
      mayGoBack: cause === "activate",
    });
  await propose("one", "reload");
  await propose("two", "reload");
  await propose("one", "activate");
  await propose("one", "activate");
  expect(await store.auditRecords(10)).toMatchObject([
    {
      atMs: START_MS,
      action: "config activate",
      detail: { revision: 3, hash: "one", by: "alice" },
    },
  ]);
});

it("replicas know each other by their configuration and the version of their planner", async () => {
  const { revisions } = await openRevisions(await openTemp(memoryStatePath()), "a");
  const config = await configOf("one");
  expect(revisions.publishedOf(config)).toBe(`${revisions.digestOf(config)} ${PLANNER_VERSION}`);
});
