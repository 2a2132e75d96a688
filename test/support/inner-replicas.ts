/**
 * Several whole daemons in this process, as `run` starts them, on one state, on one virtual clock,
 * against the sandbox over real HTTP. The state is a file that they all write through one
 * connection. The list of replicas and the leader are in memory.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Daemon, startDaemon } from "../../src/app/build.ts";
import type { Hash } from "../../src/model/hash.ts";
import type { Membership, ReplicaState } from "../../src/model/replicas.ts";
import { createFiles } from "../../src/runtime/files.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";

import { startServer } from "../../src/server/server.ts";
import { openStore } from "../../src/state/open.ts";
import { goodConfig } from "../config/load-text.ts";
import { type RememberedLog, rememberingLog } from "../state/temp-state.ts";
import { countingHttp } from "./counting-http.ts";
import { makeEmptyState } from "./empty-state.ts";
import { HOOK_SECRET, type HookReceiver, startHookReceiver } from "./hook-receiver.ts";
import { startTemplates } from "./inner-daemon.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

export interface InnerReplicas {
  readonly clock: VirtualClock;
  readonly hook: HookReceiver;
  /** The log of all replicas. */
  readonly log: RememberedLog;
  /**
   * Starts a replica. The first one leads unless `leader` names another. A `planner` of another
   * version gives groups other keys.
   */
  add(planner?: number): Promise<Daemon>;
  /** Returns the keys of the polls that a replica, counted from 0, must make. */
  heldBy(replica: number): Promise<readonly string[]>;
  /** Sends one request to the sandbox's control API. A body makes it a POST. */
  control(path: string, body?: object, method?: string): Promise<any>;
}

export interface ReplicaOptions {
  readonly ops?: object;
  readonly monthly?: number;
  readonly leader?: number;
  /** More sections of the configuration. */
  readonly more?: object;
}

const START_MS = Date.UTC(2026, 2, 6, 13, 38, 49);
const REQUESTS = 10_000_000;
/** No control socket is opened, because all replicas would have the same path. */
const CONTROL = { path: "", answerWith: () => undefined, close: async () => undefined };

/**
 * Prepares replicas on one state; none runs yet. They are ended with the test. `ops` adds settings
 * to that section; `monthly` is the quota, large by default.
 */
export async function makeInnerReplicas(
  watches: object,
  { ops = {}, monthly = REQUESTS, leader = 0, more = {} }: ReplicaOptions = {},
): Promise<InnerReplicas> {
  const folder = makeEmptyState();
  const { http, settle, settleTimer, closeHttp } = countingHttp();
  const clock = createVirtualClock(START_MS, settle, settleTimer);
  const sandbox = await startSandbox({ clock, keys: ["K1"], accounts: 20, quota: REQUESTS });
  const hook = await startHookReceiver();
  const config = await goodConfig(
    JSON.stringify({
      version: 1,
      api: { base_url: sandbox.url, keys: [{ key: "K1", name: "main" }], quota: { monthly } },
      state: { path: join(folder, "state.db") },
      server: { listen: "127.0.0.1:0" },
      watches,
      sinks: { hook: { type: "webhook", url: hook.url, secret: HOOK_SECRET, allow_private: true } },
      ops: { sink: "hook", ...ops },
      ...more,
    }),
  );
  const base = { clock, random: createSeededRandom(1), log: rememberingLog() };
  const opened = await openStore({ path: join(folder, "state.db"), ...base });
  const rows = new Map<string, ReplicaState>();
  const store = {
    ...opened,
    replicas: async () => [...rows.values()],
    async setReplicaConfig(id: string, digest: string) {
      rows.set(id, {
        id,
        name: id,
        isLeading: id === `r${leader}`,
        joinedAtMs: clock.now(),
        ...rows.get(id),
        config: digest,
      });
      await opened.setReplicaConfig(id, digest);
    },
    close: async () => undefined,
  };
  const run = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    void work.finally(() => (isOver = true)).catch(() => undefined);
    while (!isOver) await clock.advance(20);
    return work;
  };
  const ids: string[] = [];
  const daemons: Daemon[] = [];
  onTestFinished(async () => {
    for (const daemon of daemons) await run(daemon.stop());
    await opened.close();
    await Promise.all([sandbox.close(), hook.close(), closeHttp()]);
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    clock,
    hook,
    log: base.log,
    async add(planner) {
      const id = `r${ids.length}`;
      ids.push(id);
      const membership: Membership = {
        ...{
          id,
          clock,
          isLeading: () => id === `r${leader}`,
          isPresent: async () => true,
          isConnected: () => true,
        },
        ...{ setMayLead: () => undefined, giveUp: async () => undefined },
      };
      const otherwise = (text: string) =>
        planner === undefined ? text : text.replace(/ \d+$/, ` ${planner}`);
      const setReplicaConfig = (of: string, digest: string) =>
        store.setReplicaConfig(of, otherwise(digest));
      const hash: Hash = (text) =>
        sha256(planner !== undefined && text.startsWith("group\n") ? `${planner} ${text}` : text);
      const openOwn = async () => ({ ...store, setReplicaConfig, membership });
      const daemon = await run(
        startDaemon(config, {
          ...base,
          ...{
            hash,
            http,
            files: createFiles(),
            version: "0.0.0",
            outputs: createOutputs(),
            watchFiles: false,
          },
          ...{
            write: () => undefined,
            addSecret: () => undefined,
            load: async () => ({ ok: true, config }) as const,
          },
          adapters: {
            openStore: openOwn,
            startControl: async () => CONTROL,
            startServer,
            startTemplates,
          },
        }),
      );
      daemons.push(daemon);
      return daemon;
    },
    heldBy: async (replica) =>
      (await opened.claimsOf(ids[replica] ?? "")).flatMap(({ kind, key }) =>
        kind === "poll" ? [key] : [],
      ),
    async control(path, body, method = body === undefined ? "GET" : "POST") {
      const sent = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const answer = await fetch(`${sandbox.url}/_sandbox/${path}`, sent);
      if (answer.status !== 200)
        throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
  };
}
