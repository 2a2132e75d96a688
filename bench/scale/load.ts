/**
 * Measures what many watches cost when they are polled at the same total rate, whatever their
 * number: by three replicas on one Postgres, and by one daemon on a file. Then one replica after
 * the other is killed.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { shardOf } from "../../src/model/replicas.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { type ApiStub, startApiStub } from "../api-stub.ts";
import { type ConfigOptions, queryOf, writeConfigFolder } from "../config-text.ts";
import type { Figure } from "../figure.ts";
import { fillState } from "../filled-state.ts";
import { inScratch } from "../scratch.ts";
import { quantile, wholeText } from "../summary.ts";
import { type Replica, type Shared, startReplica, untilReady, untilShared } from "./replicas.ts";
import { readServerLoad } from "./server-load.ts";

const SIZES = (process.env["SCALE_WATCHES"] ?? "1000,10000,100000").split(",").map(Number);
const REPLICAS = 3;
/**
 * The time between two polls, over all watches: a hundred thousand watches are each polled once an
 * hour.
 */
const STEP_MS = 36;
/** Three keys allow sixty requests a second, so that late polls can be caught up. */
const KEYS = 3;
const WATCHED_MS = 30_000;
const SETTLE_MS = 30_000;
const LATE_MS = 1_000;
/**
 * Time per watch to fill the state and to start. Nothing is due before, so no poll has to be caught
 * up.
 */
const HEAD_START_MS = 1;

export async function* benchLoad(): AsyncGenerator<Figure> {
  for (const watches of SIZES) yield* await inScratch((folder) => onPostgres(folder, watches));
}

/** Measures a single daemon, for comparison. */
export async function* benchFile(): AsyncGenerator<Figure> {
  for (const watches of SIZES) yield* await inScratch((folder) => onFile(folder, watches));
}

/**
 * Searches that were all polled within the last interval. The first one is due once all replicas
 * should be up, the last one when the interval is over. A last poll in the future would not count,
 * and the search would be due at once.
 */
class Load {
  readonly api: ApiStub;
  readonly options: ConfigOptions;
  readonly #intervalMs: number;
  readonly #stepMs = STEP_MS - HEAD_START_MS;
  readonly #firstMs: number;
  /** When each query is due next, epoch ms. */
  readonly #due: Map<string, number>;
  readonly #asked: { readonly query: string; readonly dueMs: number; readonly lateMs: number }[] =
    [];

  constructor(api: ApiStub, watches: number, state: string) {
    this.#intervalMs = Math.round((watches * STEP_MS) / 1_000) * 1_000;
    this.#firstMs = Date.now() - this.#intervalMs + watches * HEAD_START_MS;
    const scheduleOf = () => `@every ${this.#intervalMs / 1_000}s`;
    const queries = Array.from({ length: watches }, (_, index) => queryOf(index));
    this.#due = new Map(
      queries.map((query, index) => [
        query,
        this.#firstMs + index * this.#stepMs + this.#intervalMs,
      ]),
    );
    this.api = api;
    api.onAsked = (query, atMs) => this.#take(query, atMs + performance.timeOrigin);
    this.options = {
      watches,
      apiUrl: api.url,
      state,
      keys: KEYS,
      scheduleOf,
      watch: ", strategy: single",
    };
  }

  async fill(folder: string, run?: (text: string) => Promise<unknown>): Promise<void> {
    await writeConfigFolder(folder, this.options);
    await fillState(folder, { firstMs: this.#firstMs, stepMs: this.#stepMs }, run);
  }

  /**
   * Returns how late the service was asked for the polls that were due in a span, of all watches or
   * of some. Polls that still wait count too.
   */
  latenessMs(fromMs: number, toMs = Date.now(), queries?: ReadonlySet<string>): readonly number[] {
    const isMeant = ({ query, dueMs }: { readonly query: string; readonly dueMs: number }) =>
      dueMs >= fromMs && dueMs < toMs && queries?.has(query) !== false;
    const waiting = [...this.#due]
      .filter(([query, dueMs]) => isMeant({ query, dueMs }))
      .map(([, dueMs]) => Date.now() - dueMs);
    return [...this.#asked.filter(isMeant).map(({ lateMs }) => lateMs), ...waiting];
  }

  /** Intervals count from the tick. A late poll starts a new series of ticks. */
  #take(query: string, atMs: number): void {
    const dueMs = this.#due.get(query) ?? atMs;
    const lateMs = Math.max(0, atMs - dueMs);
    this.#asked.push({ query, dueMs, lateMs });
    this.#due.set(query, (lateMs < LATE_MS ? dueMs : atMs) + this.#intervalMs);
  }

  /** Waits until polls were due and none of them was late. */
  async untilCaughtUp(): Promise<void> {
    for (;;) {
      const fromMs = Date.now() - 2 * LATE_MS;
      const lateMs = this.latenessMs(fromMs, fromMs + LATE_MS);
      if (lateMs.length > 0 && lateMs.every((ms) => ms < LATE_MS)) return;
      await pause(LATE_MS);
    }
  }
}

async function onPostgres(folder: string, watches: number): Promise<readonly Figure[]> {
  const [api, server] = [await startApiStub(), await startPostgres(tmpdir(), ["fsync=on"])];
  const url = await server.url();
  const shared: Shared = { server, database: new URL(url).pathname.slice(1) };
  const load = new Load(api, watches, `url: "${url}"`);
  const replicas: Replica[] = [];
  try {
    await load.fill(join(folder, "fill"), (text) => server.ask(shared.database, text));
    const startMs = performance.now();
    const names = Array.from({ length: REPLICAS }, (_, number) => `replica${number}`);
    replicas.push(
      ...(await Promise.all(names.map((name) => startReplica(join(folder, name), load.options)))),
    );
    await untilShared(shared, REPLICAS);
    await untilReady(replicas);
    const start = `${secondsText(performance.now() - startMs)} until all are ready and have an even share`;
    const name = `${wholeText(watches)} watches, ${REPLICAS} replicas`;
    const figures: Figure[] = [
      { name, value: [start, ...(await costOf(load, replicas, shared))].join("; ") },
    ];
    while (replicas.length > 1)
      figures.push({
        name: `${name}, one is killed`,
        value: await killOne(load, replicas, shared),
      });
    return figures;
  } finally {
    for (const replica of replicas) await replica.kill();
    await server.remove();
    await api.close();
  }
}

async function onFile(folder: string, watches: number): Promise<readonly Figure[]> {
  const api = await startApiStub();
  const load = new Load(api, watches, `path: "${join(folder, "state.db")}"`);
  let daemon: Replica | undefined;
  try {
    await load.fill(join(folder, "fill"));
    const startMs = performance.now();
    daemon = await startReplica(join(folder, "daemon"), load.options);
    await untilReady([daemon]);
    const start = `${secondsText(performance.now() - startMs)} until it is ready`;
    return [
      {
        name: `${wholeText(watches)} watches, SQLite`,
        value: [start, ...(await costOf(load, [daemon]))].join("; "),
      },
    ];
  } finally {
    await daemon?.kill();
    await api.close();
  }
}

async function costOf(
  load: Load,
  replicas: readonly Replica[],
  shared?: Shared,
): Promise<readonly string[]> {
  const caughtUpMs = performance.now();
  await load.untilCaughtUp();
  const caughtUp = `${secondsText(performance.now() - caughtUpMs)} more until nothing is late`;
  await pause(SETTLE_MS);
  const cpuMs = () => replicas.reduce((sum, replica) => sum + replica.cpuMs(), 0);
  const serverLoad = async () => (shared === undefined ? undefined : readServerLoad(shared.server));
  const before = {
    fromMs: Date.now(),
    polls: load.api.billed,
    cpuMs: cpuMs(),
    server: await serverLoad(),
  };
  await pause(WATCHED_MS);
  const [polls, usedMs, after] = [
    load.api.billed - before.polls,
    cpuMs() - before.cpuMs,
    await serverLoad(),
  ];
  const late = load.latenessMs(before.fromMs, Date.now() - LATE_MS);
  const figures = [
    caughtUp,
    `${polls} polls in ${WATCHED_MS / 1_000} s, ${(usedMs / polls).toFixed(1)} ms of CPU each`,
    `late by ${lateText(late)}`,
    `${megabytesText(replicas, (one) => one.residentKilobytes())} resident, at most ${megabytesText(replicas, (one) => one.peakKilobytes())}`,
  ];
  if (before.server === undefined || after === undefined) return figures;
  const [transactions, serverMs] = [
    after.transactions - before.server.transactions,
    after.cpuMs - before.server.cpuMs,
  ];
  return [
    ...figures,
    `Postgres: ${wholeText((transactions * 1_000) / WATCHED_MS)} transactions/s, ${(serverMs / polls).toFixed(1)} ms of CPU a poll`,
  ];
}

const HELD = "select key, replica from claims where kind = 'poll'";
/** The target of a search has the same name as the search's poll. */
const POLLS = "select key, name from targets";
const FREE =
  "select count(*)::int as n from claims where kind = 'poll' and (replica is null or replica not in (select id from replicas))";

/** Kills the first of the replicas. */
async function killOne(load: Load, replicas: Replica[], shared: Shared): Promise<string> {
  const ask = (text: string) => shared.server.ask(shared.database, text);
  await load.untilCaughtUp();
  const [claims, before] = [await ask(HELD), await ask("select id, leads from replicas")];
  const [killedMs, startMs] = [Date.now(), performance.now()];
  await replicas.shift()?.kill();
  while (
    (await ask("select id from replicas")).length === before.length ||
    Number((await ask(FREE))[0]?.["n"]) > 0
  )
    await pause(20);
  const ownedMs = performance.now() - startMs;
  await untilShared(shared, replicas.length);
  await untilReady(replicas);
  const evenMs = performance.now() - startMs;
  const dueUntilMs = Date.now();
  await load.untilCaughtUp();
  const left = new Set((await ask("select id from replicas")).map(({ id }) => id));
  const victim = before.find(({ id }) => !left.has(id));
  const shards = new Set(
    claims.flatMap(({ replica, key }) => (replica === victim?.["id"] ? [String(key)] : [])),
  );
  const queries = new Set(
    (await ask(POLLS)).flatMap(({ key, name }) =>
      shards.has(shardOf(String(key))) ? [String(name)] : [],
    ),
  );
  return [
    `it ${Number(victim?.["leads"]) === 1 ? "led" : "followed"} and had ${wholeText(queries.size)} polls`,
    `${wholeText(ownedMs)} ms until all belong to others, ${wholeText(evenMs)} ms until the rest is even and ready`,
    `those due meanwhile are late by ${lateText(load.latenessMs(killedMs, dueUntilMs, queries))}`,
  ].join("; ");
}

const secondsText = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const lateText = (lateMs: readonly number[]): string =>
  lateMs.length === 0
    ? "- (none was due)"
    : `p50 ${wholeText(quantile(lateMs, 0.5))} ms, p99 ${wholeText(quantile(lateMs, 0.99))} ms, at most ${wholeText(Math.max(...lateMs))} ms (${lateMs.length})`;

const megabytesText = (
  replicas: readonly Replica[],
  kilobytesOf: (replica: Replica) => number,
): string =>
  `${replicas.map((replica) => (kilobytesOf(replica) / 1_000).toFixed(0)).join(", ")} MB`;
