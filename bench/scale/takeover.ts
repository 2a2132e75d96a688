/**
 * Kills one of several replicas again and again, and measures how long it takes until the others
 * ask the service for its queries.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "../../test/support/postgres.ts";
import { type ApiStub, startApiStub } from "../api-stub.ts";
import type { Figure } from "../figure.ts";
import { inScratch } from "../scratch.ts";
import { quantile, wholeText } from "../summary.ts";
import { leaderOf, type Replica, startReplica, untilShared } from "./replicas.ts";

const KILLS = Number(process.env["SCALE_KILLS"] ?? 30);
/**
 * Each watch is due every second, so that a takeover shows at once. Three keys allow sixty requests
 * a second.
 */
const CONFIG = { watches: 50, keys: 3, scheduleOf: () => "@every 1s", watch: ", strategy: single" };
/** Within this time each replica asked again. */
const SETTLE_MS = 1_500;

interface Takeover {
  readonly isLeader: boolean;
  /**
   * The time from the kill until a survivor asks for the first of the victim's queries, and for the
   * last.
   */
  readonly firstMs: number;
  readonly allMs: number;
}

export async function* benchTakeover(): AsyncGenerator<Figure> {
  for (const count of [2, 3]) yield* await inScratch((folder) => measure(folder, count));
}

async function measure(folder: string, count: number): Promise<readonly Figure[]> {
  const [api, server] = [await startApiStub(), await startPostgres(tmpdir())];
  const url = await server.url();
  const options = { ...CONFIG, apiUrl: api.url, state: `url: "${url}"` };
  const database = new URL(url).pathname.slice(1);
  let replicas: readonly Replica[] = [];
  let started = 0;
  const add = async () => {
    replicas = [...replicas, await startReplica(join(folder, `replica${started++}`), options)];
  };
  const takeovers: Takeover[] = [];
  try {
    while (started < count) await add();
    while (takeovers.length < KILLS) {
      await untilShared({ server, database }, count);
      // Earlier requests do not show which replica has a watch now.
      await pause(SETTLE_MS);
      await untilAllAsked(api);
      const leader = await leaderOf(replicas);
      const isLeader = takeovers.length % 2 === 0;
      const victim = replicas.find((_, at) => (at === leader) === isLeader);
      if (victim === undefined) throw new Error("there is none to kill");
      replicas = replicas.filter((one) => one !== victim);
      takeovers.push({ isLeader, ...(await takeOver(victim, api)) });
      await add();
    }
  } finally {
    for (const replica of replicas) await replica.stop();
    await server.remove();
    await api.close();
  }
  return [true, false].flatMap((isLeader) => {
    const of = takeovers.filter((one) => one.isLeader === isLeader);
    const name = `${isLeader ? "the leader" : "a follower"} of ${count} killed`;
    return [
      {
        name: `${name}, until another asks for one of its queries`,
        value: text99(of.map(({ firstMs }) => firstMs)),
      },
      {
        name: `${name}, until all of its queries were asked for`,
        value: text99(of.map(({ allMs }) => allMs)),
      },
    ];
  });
}

/** Waits until nearly every query was asked for a moment ago. */
async function untilAllAsked(api: ApiStub): Promise<void> {
  for (;;) {
    const fromMs = performance.now() - SETTLE_MS;
    const recent = [...api.lastOf.values()].filter(
      ({ atMs, socket }) => atMs > fromMs && !socket.destroyed,
    );
    if (recent.length >= CONFIG.watches * 0.9) return;
    await pause(100);
  }
}

async function takeOver(
  victim: Replica,
  api: ApiStub,
): Promise<Pick<Takeover, "firstMs" | "allMs">> {
  const killedMs = performance.now();
  const last = new Map([...api.lastOf].filter(([, { atMs }]) => atMs > killedMs - SETTLE_MS));
  await victim.kill();
  // The kernel closes the connections that the process had open.
  await pause(20);
  const queries = [...last].filter(([, { socket }]) => socket.destroyed).map(([query]) => query);
  if (queries.length === 0) throw new Error("it polled nothing");
  for (;;) {
    const asked = queries
      .map((query) => api.lastOf.get(query))
      .filter((one) => one !== undefined && !one.socket.destroyed);
    const times = asked.map((one) => (one?.atMs ?? 0) - killedMs);
    if (asked.length === queries.length)
      return { firstMs: Math.min(...times), allMs: Math.max(...times) };
    await pause(5);
  }
}

const text99 = (tookMs: readonly number[]): string =>
  `p50 ${wholeText(quantile(tookMs, 0.5))} ms, p99 ${wholeText(quantile(tookMs, 0.99))} ms of ${tookMs.length} kills`;
