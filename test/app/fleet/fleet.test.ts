/** Tests the shares of two replicas, as each changes them for the other through the state. */
import { expect, it, onTestFinished } from "vitest";
import { Fleet, type FleetWork } from "../../../src/app/fleet/fleet.ts";
import type {
  ChangedWatches,
  ReplicaState,
  ReplicaStore,
  WorkClaim,
} from "../../../src/model/replicas.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

/** The part of a state that concerns replicas, in memory. */
function memoryStore() {
  const claims = new Map<string, WorkClaim>();
  const replicas = new Map<string, ReplicaState>();
  let [revision, announcements] = [0, 0];
  const announced: ChangedWatches[] = [];
  const asked = { claims: 0 };
  const hooks = { beforeSave: () => {}, beforeAnnounce: () => {} };
  const store: ReplicaStore = {
    replicas: async () => [...replicas.values()],
    async claims() {
      asked.claims += 1;
      return [...claims.values()];
    },
    claimsOf: async (id) => [...claims.values()].filter(({ replica }) => replica === id),
    async saveClaims(changed, removed) {
      hooks.beforeSave();
      for (const claim of changed) claims.set(claim.key, claim);
      for (const { key } of removed) claims.delete(key);
      revision += 1;
    },
    async handOver(replica) {
      for (const claim of claims.values())
        if (claim.replica === replica) claims.set(claim.key, { ...claim, replica: claim.wanted });
      revision += 1;
    },
    async setReplicaConfig(id, config) {
      replicas.set(id, {
        id,
        name: id,
        isLeading: false,
        joinedAtMs: 0,
        ...replicas.get(id),
        config,
      });
      revision += 1;
    },
    shareNews: async () => ({ revision, announcements, arrivals: 0 }),
    async announce(watches) {
      hooks.beforeAnnounce();
      announced.push(watches);
      return ++announcements;
    },
    announced: async (after, upTo) =>
      announced.slice(after, upTo).flatMap((watches) => watches) as readonly string[],
  };
  /** Removes a replica as its membership does when it ends. */
  const remove = (id: string) => {
    replicas.delete(id);
    for (const claim of claims.values())
      if (claim.replica === id) claims.set(claim.key, { ...claim, replica: null });
  };
  return { store, claims, remove, hooks, asked };
}

const CONNECTED = {
  isPresent: async () => true,
  isConnected: () => true,
  giveUp: async () => undefined,
};
const WORK = Array.from({ length: 8 }, (_, n) => ({ key: `p${n}`, cost: 1 }));

function makeFleets() {
  const clock = createVirtualClock(0);
  const { store, claims, remove, hooks, asked } = memoryStore();
  let leader = "a";
  const add = async (id: string, config = "c") => {
    const did: string[] = [];
    const options = { config, failures: 0 };
    const membership = {
      id,
      isLeading: () => leader === id,
      ...CONNECTED,
      clock,
      setMayLead: () => undefined,
    };
    const fleet = new Fleet({
      store,
      membership,
      clock,
      log: rememberingLog(),
      plansBy: () => options.config,
    });
    const begin = () => fleet.submit("poll", WORK);
    const work: FleetWork = {
      shareChanged: async (isOther) => void did.push(isOther ? "other share" : "same share"),
      async stateChanged(watches) {
        if (options.failures-- > 0) throw new Error("no");
        did.push(`state ${watches}`);
      },
      delivered: () => undefined,
      async restart(between) {
        did.push("ended");
        await between();
        if (options.failures-- > 0) throw new Error("no");
        await begin();
        did.push("begun");
      },
    };
    await fleet.join();
    await begin();
    const stop = fleet.start(work);
    onTestFinished(stop);
    const held = () => WORK.filter(({ key }) => fleet.holds("poll", key)).length;
    return { fleet, did, held, options, stop };
  };
  return { clock, claims, add, remove, hooks, asked, lead: (id: string) => (leader = id) };
}

it("a replica that joins gets half: the other one ends its work, hands over, and begins again; when the new one is gone, the other has all", async () => {
  const { clock, claims, add, remove } = makeFleets();
  const a = await add("a");
  expect(a.held()).toBe(8);
  const b = await add("b");
  expect(b.held()).toBe(0);
  await clock.advance(1_000);
  expect([a.held(), b.held()]).toEqual([4, 4]);
  expect(a.did).toEqual(expect.arrayContaining(["ended", "begun"]));
  expect(b.did).not.toContain("ended");
  expect(b.did).toContain("other share");
  expect([...a.did, ...b.did].filter((one) => one.startsWith("state"))).toEqual([]);
  expect([...claims.values()].every(({ replica, wanted }) => replica === wanted)).toBe(true);
  await b.stop();
  remove("b");
  a.did.length = 0;
  await clock.advance(1_000);
  expect(a.held()).toBe(8);
  expect(a.did).not.toContain("ended");
});

it("the work of a replica that is removed while work is shared out goes to the others", async () => {
  const { clock, add, remove, hooks } = makeFleets();
  const a = await add("a");
  const b = await add("b");
  await clock.advance(1_000);
  await b.stop();
  hooks.beforeSave = () => {
    hooks.beforeSave = () => {};
    remove("b");
  };
  const c = await add("c");
  await clock.advance(2_000);
  expect([a.held(), c.held()]).toEqual([4, 4]);
});

it("a replica with another configuration has no share until it has the leader's", async () => {
  const { clock, add } = makeFleets();
  const a = await add("a");
  const b = await add("b", "older");
  await clock.advance(1_000);
  expect([a.held(), b.held()]).toEqual([8, 0]);
  b.options.config = "c";
  await clock.advance(1_000);
  expect([a.held(), b.held()]).toEqual([4, 4]);
  a.options.config = "newer";
  await clock.advance(1_000);
  expect([a.held(), b.held()]).toEqual([8, 0]);
});

it("work that cannot begin again is tried until it can", async () => {
  const { clock, add } = makeFleets();
  const a = await add("a");
  a.options.failures = 2;
  const b = await add("b");
  await clock.advance(500);
  expect(a.did).not.toContain("begun");
  await clock.advance(5_000);
  expect(a.did).toContain("begun");
  expect([a.held(), b.held()]).toEqual([4, 4]);
});

it("an announcement reaches the other replica once, and not its sender", async () => {
  const { clock, add } = makeFleets();
  const a = await add("a");
  const b = await add("b");
  await clock.advance(2_000);
  a.did.length = b.did.length = 0;
  await a.fleet.announce(["w1", "w2"]);
  await a.fleet.announce([]);
  await clock.advance(1_000);
  expect([a.did, b.did]).toEqual([[], ["state w1,w2"]]);
});

it("two simultaneous announcements reach both replicas", async () => {
  const { clock, add } = makeFleets();
  const a = await add("a");
  const b = await add("b");
  await clock.advance(2_000);
  a.did.length = b.did.length = 0;
  await Promise.all([a.fleet.announce(["w1"]), b.fleet.announce(["w2"])]);
  await clock.advance(1_000);
  expect([a.did, b.did]).toEqual([["state w2"], ["state w1,w2"]]);
});

it("a new leader reads the state until that succeeds", async () => {
  const { clock, add, remove, lead } = makeFleets();
  const a = await add("a");
  const b = await add("b");
  await clock.advance(1_000);
  await a.stop();
  b.options.failures = 2;
  lead("b");
  remove("a");
  await clock.advance(2_000);
  expect(b.did.filter((one) => one === "state all")).toHaveLength(1);
});

it("a new leader shares out what the one before did, and reads all again after that", async () => {
  const { clock, add, remove, lead } = makeFleets();
  const a = await add("a");
  const b = await add("b");
  await clock.advance(1_000);
  await a.stop();
  lead("b");
  await clock.advance(300);
  remove("a");
  await clock.advance(200);
  expect([b.held(), b.fleet.isLeading(), b.did.includes("state all")]).toEqual([8, true, false]);
  await clock.advance(1_000);
  expect(b.did).toContain("state all");
});

it("a plan that is as it was is not shared out again, until that failed", async () => {
  const { clock, add, hooks, asked } = makeFleets();
  const a = await add("a");
  await clock.advance(1_000);
  asked.claims = 0;
  await a.fleet.submit("poll", WORK);
  expect(asked.claims).toBe(0);
  hooks.beforeSave = () => {
    hooks.beforeSave = () => {};
    throw new Error("no");
  };
  await expect(a.fleet.submit("poll", WORK.slice(1))).rejects.toThrow("no");
  expect(a.held()).toBe(8);
  await clock.advance(1_000);
  expect(a.held()).toBe(7);
});

it("a failed announcement is repeated once the state can be written", async () => {
  const { clock, add, hooks } = makeFleets();
  const a = await add("a");
  const b = await add("b");
  await clock.advance(2_000);
  b.did.length = 0;
  hooks.beforeAnnounce = () => {
    hooks.beforeAnnounce = () => {};
    throw new Error("no");
  };
  await expect(a.fleet.announce(["w1"])).rejects.toThrow("no");
  await clock.advance(1_000);
  expect(b.did).toEqual(["state all"]);
});
