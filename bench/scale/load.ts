/** What three replicas on one Postgres use while they read many watches for the first time: CPU a poll, memory, transactions of the server. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "../../test/support/postgres.ts";
import { startApiStub } from "../api-stub.ts";
import { configText } from "../config-text.ts";
import type { Figure } from "../figure.ts";
import { inScratch } from "../scratch.ts";
import { wholeText } from "../summary.ts";
import { type Replica, startReplica, untilShared } from "./replicas.ts";

const REPLICAS = 3;
const WATCHES = (process.env["SCALE_WATCHES"] ?? "1000,10000").split(",").map(Number);
const WATCHED_MS = 12_000;
/** Daily: each is read once while somebody looks. */
const CONFIG = { keys: 2, scheduleOf: () => "@every 24h", watch: ", strategy: single" };

export async function* benchLoad(): AsyncGenerator<Figure> {
  for (const watches of WATCHES) yield await inScratch((folder) => measure(folder, watches));
}

async function measure(folder: string, watches: number): Promise<Figure> {
  const [api, server] = [await startApiStub(), await startPostgres()];
  const text = configText({ ...CONFIG, watches, apiUrl: api.url, state: `url: "${await server.url()}"` });
  const replicas: Replica[] = [];
  const transactions = async () =>
    Number((await server.ask("postgres", "select sum(xact_commit) as n from pg_stat_database"))[0]?.["n"] ?? Number.NaN);
  const cpuMs = () => replicas.reduce((sum, replica) => sum + replica.cpuMs(), 0);
  try {
    while (replicas.length < REPLICAS) replicas.push(await startReplica(join(folder, `replica${replicas.length}`), text));
    const upMs = performance.now();
    await untilShared(replicas);
    const sharedMs = performance.now() - upMs;
    const before = { cpuMs: cpuMs(), polls: api.billed, transactions: await transactions() };
    await pause(WATCHED_MS);
    const [polls, usedMs] = [api.billed - before.polls, cpuMs() - before.cpuMs];
    const seconds = WATCHED_MS / 1_000;
    return {
      name: `${wholeText(watches)} watches, ${REPLICAS} replicas`,
      value: [
        `${polls} polls in ${seconds} s, ${(usedMs / polls).toFixed(1)} ms of CPU each`,
        `${replicas.map((replica) => (replica.residentKilobytes() / 1_000).toFixed(0)).join(", ")} MB resident`,
        `${wholeText(((await transactions()) - before.transactions) / seconds)} transactions/s`,
        `${wholeText(sharedMs)} ms from the last one's start to an even share`,
      ].join("; "),
    };
  } finally {
    for (const replica of replicas) await replica.kill();
    await server.remove();
    await api.close();
  }
}
