/** Several daemons on one state, each in a folder of its own, as if on a machine of its own. */
import { type BinProcess, makeFolder, startBin } from "../support/bin-process.ts";
import { baseConfig, writeConfig } from "../support/daemon-process.ts";
import { type HookReceiver, startHookReceiver } from "../support/hook-receiver.ts";
import { type SandboxProcess, startSandboxHere } from "../support/sandbox-process.ts";
import { until } from "../support/until.ts";
import type { StatusView } from "../../src/server/schema/status-view.ts";
import { hookSink, keep } from "./fixture.ts";

/** The sandbox's rate limit in requests per second, which all replicas share. */
const RATE = 20;
/**
 * The number of watches. Each searches for the tweets of an account of its own. `npm run test:long`
 * has five times as many, which use two thirds of the rate.
 */
const WATCHES = 60;
/** The number of watches that get tweets. They are polled often. */
const BUSY = 12;

interface Around {
  readonly sandbox: SandboxProcess;
  readonly hook: HookReceiver;
  readonly stateUrl: string;
  readonly watches: readonly string[];
}

export class Replicas {
  readonly fresh: string[] = [];
  /** The time from each kill until the status showed that the others had all the work. */
  readonly takeoversMs: number[] = [];
  readonly #around: Around;
  readonly #folders = new Map<BinProcess, string>();
  all: BinProcess[] = [];

  private constructor(around: Around) {
    this.#around = around;
  }

  /**
   * Starts the replicas together, on a database that may be empty. The first of `all` leads.
   * Resolves when each has its share and every first read is done.
   */
  static async start(stateUrl: string, count: number, watchCount = WATCHES): Promise<Replicas> {
    const [sandbox, hook] = [keep(await startSandboxHere()), keep(await startHookReceiver())];
    const watches = Array.from({ length: watchCount }, (_, n) => `acme${n}`);
    const replicas = new Replicas({ sandbox, hook, stateUrl, watches });
    await replicas.#postEach(3);
    for (let added = 0; added < count; added += 1) replicas.add();
    await replicas.#firstReads(watchCount);
    await replicas.shared();
    const leader = await replicas.leader();
    replicas.all = [leader, ...replicas.all.filter((one) => one !== leader)];
    return replicas;
  }

  folderOf(replica: BinProcess): string {
    return this.#folders.get(replica) ?? "";
  }

  add(): BinProcess {
    const { sandbox, hook, stateUrl, watches } = this.#around;
    const busy = this.#busy();
    const folder = makeFolder();
    writeConfig(folder, {
      ...baseConfig(sandbox.url, sandbox.key),
      state: { url: stateUrl },
      sinks: { one: hookSink(hook), two: { ...hookSink(hook), url: `${hook.url}?two` } },
      reports: { often: { schedule: "@every 5s", sink: "one" } },
      watches: Object.fromEntries(
        watches.map((account, n) => [
          account,
          {
            ...{
              type: "search",
              query: `from:${account}`,
              strategy: "single",
              sink: n % 2 === 0 ? "one" : "two",
            },
            schedule: busy.includes(account) ? "@every 2s" : "@every 40s",
          },
        ]),
      ),
    });
    const replica = startBin(["run", "-c", "watches.yaml"], { cwd: folder });
    this.all.push(replica);
    this.#folders.set(replica, folder);
    return replica;
  }

  /**
   * Returns the status once it is complete, which it is not while the replica's work is replaced.
   */
  async statusOf(replica: BinProcess): Promise<StatusView> {
    const { url } = await replica.logged("status page is up");
    return until("its whole status", async () => {
      const status = (await (
        await fetch(`${String(url)}/api/v1/status`)
      ).json()) as Partial<StatusView>;
      return status.watches === undefined ? undefined : (status as StatusView);
    });
  }

  async readinessOf(replica: BinProcess): Promise<readonly [status: number, word: string]> {
    const { url } = await replica.logged("status page is up");
    const answer = await fetch(`${String(url)}/readyz`);
    return [answer.status, ((await answer.json()) as { readonly status: string }).status];
  }

  /** Waits until each of the replicas has its share of the polls. */
  async shared(): Promise<void> {
    const [any] = this.all;
    if (any === undefined) throw new Error("there is none");
    let seen = "";
    await until(
      "an even share",
      async () => {
        const { replicas } = await this.statusOf(any).catch(() => ({ replicas: null }));
        seen = JSON.stringify(replicas);
        const percents = (replicas ?? []).map((replica) => replica.polls_percent);
        return (
          percents.length === this.all.length &&
          Math.max(...percents) - Math.min(...percents) < 10 &&
          Math.min(...percents) > 0
        );
      },
      () => `${seen}\n${this.#said()}`,
    );
  }

  take(replica: BinProcess, signal: "SIGKILL" | "SIGSTOP" | "SIGTERM"): void {
    replica.kill(signal);
    this.all = this.all.filter((one) => one !== replica);
  }

  /** Stops a replica by a signal, in the middle of work. The others take over its part. */
  async lose(replica: BinProcess, signal: "SIGKILL" | "SIGSTOP"): Promise<void> {
    await this.post();
    this.take(replica, signal);
    const takenMs = performance.now();
    await this.post();
    await this.shared();
    this.takeoversMs.push(performance.now() - takenMs);
  }

  /** Stops a replica in the same way and starts another one in its place. */
  async replace(replica: BinProcess, signal: "SIGKILL" | "SIGSTOP"): Promise<void> {
    await this.lose(replica, signal);
    this.add();
    await this.post();
    await this.shared();
  }

  /** Returns the replica that leads. */
  async leader(): Promise<BinProcess> {
    const views = await Promise.all(
      this.all.map(async (one) => (await this.statusOf(one)).replicas ?? []),
    );
    const at = views.findIndex((replicas) =>
      replicas.some(({ leads, answers }) => leads && answers),
    );
    return this.at(at);
  }

  at(place: number): BinProcess {
    const replica = this.all[place];
    if (replica === undefined) throw new Error("there is no such replica");
    return replica;
  }

  async post(): Promise<void> {
    this.fresh.push(...(await this.#postEach(1)));
  }

  /**
   * Waits for first reads. On a busy machine all of them are slow, so it fails only if none is done
   * for a while.
   */
  async #firstReads(count: number): Promise<void> {
    const done = () =>
      this.all.flatMap((one) => one.log().filter(({ msg }) => msg.includes(" items noted"))).length;
    for (const replica of this.all) await replica.logged("joined the replicas on this state");
    for (let seen = done(); seen < count; seen = done())
      await until(
        `more than ${seen} first reads`,
        () => done() > seen,
        () => this.#said(),
      );
  }

  #said(): string {
    return this.all.map((one) => one.err().slice(-30_000)).join("\n\n");
  }

  #busy(): readonly string[] {
    const { watches } = this.#around;
    return watches.filter((_, n) => n % (watches.length / BUSY) === 0);
  }

  async #postEach(count: number): Promise<readonly string[]> {
    const posted = await Promise.all(
      this.#busy().map((username) => this.#around.sandbox.control("tweets", { username, count })),
    );
    return posted.flatMap(({ ids }) => ids);
  }

  /** Counts the repeats of messages with the same id. They were being sent at a kill. */
  copies(): number {
    const ids = this.#around.hook.messages().map(({ id }) => id);
    return ids.length - new Set(ids).size;
  }

  /**
   * Returns what is wrong once every tweet has arrived. Each tweet must have become one event, and
   * each event must be in one message, however often that was sent. The number of requests must
   * stay within the rate.
   */
  async findWrong(): Promise<readonly string[]> {
    const { hook, sandbox } = this.#around;
    const events = () => hook.events().filter(({ type }) => type !== "report.created");
    const alerted = () => new Set(events().map(({ subject }) => subject));
    await until(
      "every tweet",
      () => {
        const known = alerted();
        return this.fresh.every((id) => known.has(id));
      },
      () => `${alerted().size} of ${this.fresh.length}\n${this.#said()}`,
    );
    const old = [...alerted()].filter((id) => !this.fresh.includes(id));
    const messagesOf = new Map<string, Set<string>>();
    const eventsOf = new Map<string, Set<string>>();
    for (const { id, events } of hook.messages())
      for (const { type, subject, data } of events) {
        if (type === "report.created") continue;
        const eventId = data.id as string;
        messagesOf.set(eventId, (messagesOf.get(eventId) ?? new Set()).add(id));
        eventsOf.set(subject, (eventsOf.get(subject) ?? new Set()).add(eventId));
      }
    const many = (sets: ReadonlyMap<string, ReadonlySet<string>>) =>
      [...sets].filter(([, set]) => set.size > 1).map(([key]) => key);
    const { max_in_one_second: busiest } = await sandbox.control("requests");
    return [
      ...(busiest > RATE ? [`${busiest} requests in one second`] : []),
      ...old.map((id) => `${id} is of the baseline`),
      ...many(messagesOf).map((id) => `event ${id} is in two messages`),
      ...many(eventsOf).map((id) => `tweet ${id} became two events`),
      ...this.#wrongReports(),
    ];
  }

  /** Returns the number of reports that arrived. */
  reports(): number {
    return this.#around.hook.events().filter(({ type }) => type === "report.created").length;
  }

  /**
   * Returns the reports that do not begin where the one before ended, or came twice, whichever
   * replica led.
   */
  #wrongReports(): readonly string[] {
    const reports = this.#around.hook.events().filter(({ type }) => type === "report.created");
    const ends = new Map(reports.map(({ data }) => [data.id as string, data.report]));
    const periods = [...ends.values()].sort((a, b) => Date.parse(a.to) - Date.parse(b.to));
    return periods.flatMap(({ from, to }, n) => {
      const before = periods[n - 1];
      return before === undefined || before.to === from
        ? []
        : [`the report from ${from} to ${to} comes after the one to ${before.to}`];
    });
  }
}
