/**
 * Measures commits and durable deliveries per second of 1, 2 and 4 writing processes on one
 * Postgres, and of one on a file, in one run.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "../../test/support/postgres.ts";
import type { Figure } from "../figure.ts";
import { inScratch } from "../scratch.ts";
import { wholeText } from "../summary.ts";
import { startWebhookReceiver } from "../webhook-receiver.ts";
import type { ToWriter } from "./writer-process.ts";

const WRITERS = [1, 2, 4];
const WARM_UPS = 50;
/** The total of all processes together. */
const POLLS = 400;
const EVENTS = 800;

/** Postgres waits for the disk, as SQLite does. */
export async function* benchThroughput(): AsyncGenerator<Figure> {
  const server = await startPostgres(tmpdir(), ["fsync=on"]);
  try {
    yield await inScratch((folder) => measure(folder, 1, undefined));
    for (const of of WRITERS) yield await inScratch((folder) => measure(folder, of, server));
  } finally {
    await server.remove();
  }
}

async function measure(
  folder: string,
  of: number,
  server: PostgresServer | undefined,
): Promise<Figure> {
  const receiver = await startWebhookReceiver();
  const stateUrl = await server?.url();
  const writers: ChildProcess[] = [];
  try {
    for (let number = 0; number < of; number += 1) {
      const own = join(folder, `writer${number}`);
      await mkdir(own);
      const writer = fork(new URL("./writer-process.js", import.meta.url));
      writers.push(writer);
      await ask(writer, { open: { folder: own, stateUrl, url: receiver.url, number, of } });
    }
    const all = async (message: ToWriter) => {
      const startMs = performance.now();
      await Promise.all(writers.map((writer) => ask(writer, message)));
      return (performance.now() - startMs) / 1_000;
    };
    await all({ polls: WARM_UPS, items: 1 });
    const commitS = await all({ polls: POLLS / of, items: 1 });
    await all({ polls: 4, items: EVENTS / of / 4 });
    const events = WARM_UPS * of + POLLS + EVENTS;
    const drainS = await all({ drain: events });
    const place = server === undefined ? "SQLite" : `Postgres, ${of} at once`;
    return {
      name: place,
      value: `${wholeText(POLLS / commitS)} commits/s, ${wholeText(events / drainS)} durable deliveries/s`,
    };
  } finally {
    for (const writer of writers) writer.kill("SIGKILL");
    await receiver.close();
  }
}

async function ask(writer: ChildProcess, message: ToWriter): Promise<void> {
  writer.send(message);
  const [answer] = (await Promise.race([once(writer, "message"), once(writer, "exit")])) as [
    unknown,
  ];
  if (answer !== "done") throw new Error("the writer ended");
}
