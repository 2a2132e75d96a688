/**
 * Runs three replicas from the built bin on a Postgres server, each with a proxy to it, and the
 * service as another process. Owns the posts, the arrivals, and the processes. A process that ends
 * is started again, as an orchestrator does. replica-account.ts summarises a fault.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { StatusView } from "../../src/server/schema/status-view.ts";
import { hookSink, keep } from "../e2e/fixture.ts";
import { type BinProcess, makeFolder, startBin } from "../support/bin-process.ts";
import { baseConfig, writeConfig } from "../support/daemon-process.ts";
import { type HookReceiver, startHookReceiver } from "../support/hook-receiver.ts";
import type { PostgresServer } from "../support/postgres.ts";
import { PostgresProxy } from "../support/postgres-proxy.ts";
import type { Post } from "./account.ts";
import { type SandboxProcess, startSandboxProcess } from "../support/sandbox-process.ts";

export const REPLICAS = 3;
/** Searches that are polled often, each for the posts of one account. */
const BUSY = Array.from({ length: 12 }, (_, n) => `acme${n}`);
/**
 * Searches for a burst, polled every ten seconds. There are more of them than replicas, so that
 * each replica has at least one.
 */
const BURST = Array.from({ length: 6 }, (_, n) => `burst${n}`);
/** Searches that are polled rarely and fill the replicas' shares. */
const IDLE = Array.from({ length: 30 }, (_, n) => `idle${n}`);
const POSTS_PER_SECOND = 4;
const RESTART_MS = 1_000;

export interface Replica {
  readonly proxy: PostgresProxy;
  readonly folder: string;
  process: BinProcess;
}

export class ReplicaTrial {
  readonly server: PostgresServer;
  readonly sandbox: SandboxProcess;
  readonly hook: HookReceiver;
  readonly replicas: Replica[] = [];
  readonly posts: Post[] = [];
  readonly database: string;
  /** How each process ended that the trial did not kill. */
  readonly ends: string[] = [];
  /** The requests that the service billed before its counters were last reset. */
  billedBefore = 0;
  /**
   * The number of requests that were billed but never in the ledger, as far as that was reported.
   */
  missing = 0;
  /** Whether every watch was read once. Everything posted from then on is new. */
  isRead = false;
  #isOver = false;
  isPosting = false;
  #posting: Promise<void> = Promise.resolve();

  private constructor(
    server: PostgresServer,
    database: string,
    sandbox: SandboxProcess,
    hook: HookReceiver,
  ) {
    [this.server, this.database, this.sandbox, this.hook] = [server, database, sandbox, hook];
  }

  /** Starts all replicas together on an empty database. Does not wait until they run. */
  static async start(server: PostgresServer): Promise<ReplicaTrial> {
    const url = await server.url();
    const trial = new ReplicaTrial(
      server,
      new URL(url).pathname.slice(1),
      await startSandboxProcess(makeFolder()),
      keep(await startHookReceiver()),
    );
    for (let count = 0; count < REPLICAS; count += 1) {
      const proxy = keep(await PostgresProxy.start(server.port));
      const folder = makeFolder();
      writeConfig(folder, trial.#config(proxy.urlOf(url)));
      trial.replicas.push({ proxy, folder, process: undefined as never });
    }
    for (const replica of trial.replicas) trial.#run(replica);
    return trial;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.stopPosting();
    for (const { process } of this.replicas) process.kill("SIGKILL");
    await Promise.all(this.replicas.map(({ process }) => process.gone));
  }

  /** Creates posts of an account. */
  async post(username: string, count: number): Promise<void> {
    const atMs = Date.now();
    const { ids } = await this.sandbox.control("tweets", { username, count });
    this.posts.push(...(ids as readonly string[]).map((id) => ({ id, atMs })));
  }

  /** Creates four posts a second, of one account after the other. */
  postSteadily(): void {
    this.isPosting = true;
    const go = async () => {
      for (let count = 0; this.isPosting; count += 1) {
        await this.post(BUSY[count % BUSY.length] ?? "", 1);
        await pause(1_000 / POSTS_PER_SECOND);
      }
    };
    this.#posting = go();
  }

  async stopPosting(): Promise<void> {
    this.isPosting = false;
    await this.#posting;
  }

  /** Kills a process. It is started again a moment later. */
  async kill(replica: Replica): Promise<void> {
    replica.process.kill("SIGKILL");
    await replica.process.gone;
  }

  async statusOf({ process }: Replica): Promise<StatusView | undefined> {
    const url = process.log().find(({ msg }) => msg === "status page is up")?.["url"];
    if (typeof url !== "string") return undefined;
    const asked = fetch(`${url}/api/v1/status`, { signal: AbortSignal.timeout(10_000) }).then(
      (answer) => answer.json(),
    );
    const status = (await asked.catch(() => undefined)) as Partial<StatusView> | undefined;
    return status?.watches === undefined ? undefined : (status as StatusView);
  }

  /** Returns the leader, or another replica. */
  async find(role: "leader" | "follower"): Promise<Replica> {
    for (;;) {
      for (const replica of this.replicas) {
        const own = (await this.statusOf(replica))?.replicas?.find(({ answers }) => answers);
        if (own !== undefined && own.leads === (role === "leader")) return replica;
      }
      await pause(200);
    }
  }

  /** Resolves once every watch was read. */
  async firstReads(): Promise<void> {
    for (;;) {
      const watches = (await this.statusOf(await this.find("leader")))?.watches ?? [];
      if (watches.length > 0 && watches.every(({ first_read: read }) => read === null)) return;
      await pause(200);
    }
  }

  /** Returns the burst searches that a follower polls. */
  async burstsOfFollowers(): Promise<readonly string[]> {
    const leader = await this.find("leader");
    const watches = (await this.statusOf(leader))?.watches ?? [];
    return watches
      .filter(({ id, polled_by: others }) => id.startsWith("burst") && others.length > 0)
      .map(({ id }) => id);
  }

  readonly busy = BUSY;

  #run(replica: Replica): void {
    const process = startBin(["run", "-c", "watches.yaml"], { cwd: replica.folder });
    replica.process = process;
    // The process may end at any time, and no pending wait must fail because of that.
    process.kill("SIGCONT");
    void process.gone.then(async ({ code, signal, err }) => {
      if (this.#isOver) return;
      if (signal === null) this.ends.push(`${code}: ${err.trimEnd().split("\n").at(-1) ?? ""}`);
      await pause(RESTART_MS);
      if (!this.#isOver) this.#run(replica);
    });
  }

  #config(stateUrl: string): object {
    const { sandbox, hook } = this;
    const search = (account: string, schedule: string, sink: string) => ({
      type: "search",
      query: `from:${account}`,
      strategy: "single",
      schedule,
      sink,
    });
    const all = [
      ...BUSY.map(
        (account, n) =>
          [account, search(account, "@every 2s", n % 2 === 0 ? "one" : "two")] as const,
      ),
      ...BURST.map((account) => [account, search(account, "@every 10s", "one")] as const),
      ...IDLE.map((account) => [account, search(account, "@every 40s", "two")] as const),
    ];
    return {
      ...baseConfig(sandbox.url, sandbox.key),
      state: { url: stateUrl },
      sinks: Object.fromEntries(
        ["one", "two", "ops"].map((name) => [
          name,
          { ...hookSink(hook), url: `${hook.url}?${name}` },
        ]),
      ),
      ops: { sink: "ops" },
      watches: Object.fromEntries(all),
    };
  }
}
