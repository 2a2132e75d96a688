/** Several daemons on one state, each in a folder of its own, as on a machine of its own. */
import { type BinProcess, makeFolder, startBin } from "../support/bin-process.ts";
import { baseConfig, writeConfig } from "../support/daemon-process.ts";
import { until } from "../support/until.ts";
import { type Fixture, hookSink, morePolls } from "./fixture.ts";

const isActive = (replica: BinProcess) => replica.err().includes("status page is up");

export class Replicas {
  readonly fresh: string[] = [];
  readonly #fixture: Fixture;
  readonly #url: string;
  #all: BinProcess[] = [];
  readonly #folders = new Map<BinProcess, string>();

  private constructor(fixture: Fixture, url: string) {
    this.#fixture = fixture;
    this.#url = url;
  }

  /** One is active, the others stand by. */
  static async start(fixture: Fixture, url: string, count: number): Promise<Replicas> {
    const replicas = new Replicas(fixture, url);
    fixture.api.post("search:acme", 10);
    await replicas.add().logged(/^w: \d+ items noted/);
    const others = Array.from({ length: count - 1 }, () => replicas.add());
    for (const one of others) await one.logged(/^standing by/);
    return replicas;
  }

  get active(): BinProcess {
    const active = this.#all.find(isActive);
    if (active === undefined) throw new Error("none is active");
    return active;
  }

  get standby(): BinProcess | undefined {
    return this.#all.find((one) => !isActive(one));
  }

  get standbyFolder(): string {
    const folder = this.standby === undefined ? undefined : this.#folders.get(this.standby);
    if (folder === undefined) throw new Error("none stands by");
    return folder;
  }

  add(): BinProcess {
    const { api, hook } = this.#fixture;
    const folder = makeFolder();
    writeConfig(folder, {
      ...baseConfig(api.url, api.key),
      ...{ state: { url: this.#url }, defaults: { watch: { schedule: "@every 1s" } } },
      ...{ sinks: { hook: hookSink(hook) }, watches: { w: { type: "search", query: "acme" } } },
    });
    const replica = startBin(["run", "-c", "watches.yaml"], { cwd: folder });
    this.#all.push(replica);
    this.#folders.set(replica, folder);
    return replica;
  }

  async statusOfActive(): Promise<unknown> {
    const { url } = await this.active.logged("status page is up");
    return (await fetch(`${String(url)}/api/v1/status`)).json();
  }

  /** Takes the active one out by a signal, in the middle of work, and waits until another is active. Returns the one taken out. */
  async replaceActive(signal: "SIGKILL" | "SIGSTOP"): Promise<BinProcess> {
    this.post();
    await morePolls(this.#fixture.api, "search-tweets", 1);
    const { active } = this;
    active.kill(signal);
    this.#all = this.#all.filter((one) => one !== active);
    this.post();
    await until(
      "a successor",
      () => this.#all.some(isActive),
      () => this.#all.map((one) => one.err()).join("\n"),
    );
    this.add();
    return active;
  }

  post(): void {
    this.fresh.push(...this.#fixture.api.post("search:acme", 8));
  }

  /** What is wrong once every tweet has arrived: each became one event, and each event stands in one message, however often that was sent. */
  async findWrong(): Promise<readonly string[]> {
    const { hook } = this.#fixture;
    const alerted = () => new Set(hook.events().map(({ subject }) => subject));
    await until(
      "every tweet",
      () => this.fresh.every((id) => alerted().has(id)),
      () => `${alerted().size} of ${this.fresh.length}`,
    );
    const old = [...alerted()].filter((id) => !this.fresh.includes(id));
    const messagesOf = new Map<string, Set<string>>();
    const eventsOf = new Map<string, Set<string>>();
    for (const { id, events } of hook.messages())
      for (const { subject, data } of events) {
        const eventId = data.id as string;
        messagesOf.set(eventId, (messagesOf.get(eventId) ?? new Set()).add(id));
        eventsOf.set(subject, (eventsOf.get(subject) ?? new Set()).add(eventId));
      }
    const many = (sets: ReadonlyMap<string, ReadonlySet<string>>) => [...sets].filter(([, set]) => set.size > 1).map(([key]) => key);
    return [
      ...old.map((id) => `${id} is of the baseline`),
      ...many(messagesOf).map((id) => `event ${id} is in two messages`),
      ...many(eventsOf).map((id) => `tweet ${id} became two events`),
    ];
  }
}
