/**
 * Measures what first reads cost the daemon, by the number of watches. `startDaemon` runs on an
 * empty state, each watch has a search of its own, and the service is in memory on a virtual clock,
 * until every watch has its baseline. CPU time is that of the whole process, including the
 * service's answers. The memory peak is that of the built command at the pace of the service, until
 * the first of ten thousand are read.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startDaemon } from "../src/app/build.ts";
import type { Adapters } from "../src/app/daemon/daemon-deps.ts";
import { loadConfig } from "../src/config/load/load-config.ts";
import type { Http } from "../src/model/http.ts";
import { createFiles } from "../src/runtime/files.ts";
import { sha256 } from "../src/runtime/hash.ts";
import { createOutputs } from "../src/runtime/outputs.ts";
import { SINK_TYPES } from "../src/sinks/registry.ts";
import { type OpenedStore, openStore } from "../src/state/open.ts";
import { WATCH_TYPES } from "../src/watches/registry.ts";
import { createSeededRandom } from "../test/support/seeded-random.ts";
import { createVirtualClock } from "../test/support/virtual-clock.ts";
import { startApiStub } from "./api-stub.ts";
import { configText } from "./config-text.ts";
import { startDaemonProcess } from "./daemon-process.ts";
import type { Figure } from "./figure.ts";
import { inScratch } from "./scratch.ts";
import { SILENT_LOG } from "./silent-log.ts";

const START_MS = Date.UTC(2026, 10, 2, 9);
const SIZES = [100, 1_000, 10_000];
const STEP_MS = 10_000;
/** The service's ceiling is 20 requests a second. Spread first reads take some time more. */
const LONGEST_MS = 3_600_000;
const PEAK_WATCHES = 10_000;
const PEAK_READS = 600;

export async function benchFirstReads(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const watches of SIZES) figures.push(await inScratch((folder) => measure(folder, watches)));
  figures.push(await inScratch(measurePeak));
  return figures;
}

/**
 * Measures the peak during the first of the reads only, because later reads reuse memory that the
 * start gave back.
 */
async function measurePeak(folder: string): Promise<Figure> {
  const api = await startApiStub();
  const path = join(folder, "watches.yaml");
  await writeFile(path, configText({ apiUrl: api.url, watches: PEAK_WATCHES, scheduleOf }));
  const daemon = startDaemonProcess(path);
  try {
    await api.firstBilled;
    while (api.billed < PEAK_READS) await pause(500);
    const megabytes = daemon.peakKilobytes() / 1_000;
    return {
      name: `start with ${PEAK_WATCHES.toLocaleString("en")} watches`,
      value: `${megabytes.toFixed(0)} MB at the peak, ${api.billed} first reads`,
    };
  } finally {
    await daemon.stop();
    await api.close();
  }
}

const scheduleOf = (index: number): string => `${index % 60} * * * *`;

async function measure(folder: string, watches: number): Promise<Figure> {
  const path = join(folder, "watches.yaml");
  await writeFile(path, configText({ apiUrl: "https://api.example", watches, scheduleOf }));
  const loaded = await loadConfig({
    path,
    files: createFiles(),
    env: {},
    watchTypes: WATCH_TYPES,
    sinkTypes: SINK_TYPES,
  });
  if (!loaded.ok) throw new Error("the configuration is refused");
  const clock = createVirtualClock(START_MS);
  const { http, searches } = emptyService();
  let store: OpenedStore | undefined;
  const adapters: Adapters = {
    openStore: async (request) =>
      (store = await openStore({ ...request, path: join(folder, "state.db") })),
    startControl: async (_deps, statePath) => ({
      path: `${statePath}.sock`,
      answerWith: () => undefined,
      close: async () => undefined,
    }),
    startServer: async () => ({
      url: "http://127.0.0.1:1",
      answerWith: () => undefined,
      visit: async () => undefined,
      close: async () => undefined,
    }),
  };
  const daemon = await startDaemon(loaded.config, {
    ...{
      clock,
      random: createSeededRandom(1),
      hash: sha256,
      http,
      files: createFiles(),
      log: SILENT_LOG,
      version: "0.0.0",
      adapters,
    },
    ...{
      write: () => undefined,
      outputs: createOutputs(),
      addSecret: () => undefined,
      load: async () => loaded,
      watchFiles: false,
    },
  });
  const before = process.cpuUsage();
  const isDone = async () =>
    (await store?.listWatches())?.every(({ targets }) =>
      targets.every(({ baselineAtMs }) => baselineAtMs !== null),
    );
  // The check is rare, so that it does not distort the measurement.
  while (!(await isDone())) {
    if (clock.now() > START_MS + LONGEST_MS)
      throw new Error(`${watches} first reads were not done within an hour`);
    await clock.advance(Math.max(STEP_MS, watches * 10));
  }
  const { user, system } = process.cpuUsage(before);
  const [minutes, cpuMs] = [(clock.now() - START_MS) / 60_000, (user + system) / 1_000];
  await daemon.stop();
  await rm(folder, { recursive: true, force: true });
  return {
    name: `first reads of ${watches.toLocaleString("en")} watches`,
    value: `${(cpuMs / watches).toFixed(2)} ms of CPU each, ${searches()} requests in ${minutes.toFixed(1)} min`,
  };
}

function emptyService(): { readonly http: Http; readonly searches: () => number } {
  let searches = 0;
  const answer = (body: object) => ({
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const http: Http = {
    request: async ({ url }) => {
      if (url.includes("key-usage-info"))
        return answer({
          key_requests: 0,
          remaining_requests: 100_000_000,
          total_requests: 100_000_000,
        });
      searches += 1;
      return answer({ tweets: [], next_cursor: null });
    },
  };
  return { http, searches: () => searches };
}
