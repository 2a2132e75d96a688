import { expect, it, onTestFinished } from "vitest";
import { createTeardown } from "../../src/app/daemon/teardown.ts";
import { type ReplicaParts, startReplica } from "../../src/app/replica.ts";
import type { Config } from "../../src/config/config.ts";
import type { ReplicaStore } from "../../src/model/replicas.ts";
import { NO_SIGNALS } from "../../src/model/signals.ts";
import { rememberingLog } from "../state/temp-state.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

it("reads the configuration again once its work has begun again: nothing saw what changed meanwhile", async () => {
  const clock = createVirtualClock(0);
  const did: string[] = [];
  let isLeading = true;
  const store = {
    replicas: async () => [],
    claims: async () => [],
    claimsOf: async () => [],
    handOver: async () => void did.push("hand over"),
    setReplicaConfig: async () => undefined,
    shareNews: async () => ({ revision: 0, announcements: 0, arrivals: 0 }),
  } as unknown as ReplicaStore;
  const start = async (config: Config) => {
    did.push("begin");
    return {
      url: "http://127.0.0.1:1",
      config: () => config,
      reload: async () => void did.push("reload"),
      shareChanged: async () => undefined,
      loops: () => new Map(),
      stop: async () => void did.push("end"),
    };
  };
  const teardown = createTeardown(rememberingLog());
  onTestFinished(() => teardown.drain());
  const parts = {
    ...{ store, clock, log: rememberingLog(), signals: NO_SIGNALS, start },
    membership: {
      id: "a",
      isLeading: () => isLeading,
      isPresent: async () => true,
      isConnected: () => true,
      setMayLead: () => undefined,
      clock,
    },
    revisions: {
      propose: async () => undefined,
      review: async () => false,
      publishedOf: () => "c",
    },
  };
  await startReplica({} as Config, parts as unknown as ReplicaParts, teardown);
  isLeading = false;
  await clock.advance(1_000);
  expect(did).toEqual(["begin", "end", "hand over", "begin", "reload"]);
});
