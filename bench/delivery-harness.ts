/**
 * The delivery part of the daemon, built from a configuration as the daemon does it, on a store and
 * with one receiver.
 */
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createDelivery } from "../src/app/delivering/delivery.ts";
import { createRouting, type Routing } from "../src/operate/alerts/routing.ts";
import { createActiveSilences } from "../src/operate/alerts/silences.ts";
import type { Config } from "../src/config/config.ts";
import { loadConfig } from "../src/config/load/load-config.ts";
import type { Log } from "../src/model/log.ts";
import type { TemplateRunner } from "../src/model/template.ts";
import type { Pump } from "../src/deliver/pump.ts";
import { createFiles } from "../src/runtime/files.ts";
import { createHttpAgent } from "../src/runtime/http-agent.ts";
import { createOutputs } from "../src/runtime/outputs.ts";
import { createSystemClock } from "../src/runtime/system-clock.ts";
import { startTemplateWorker } from "../src/runtime/threads/template-worker.ts";
import { createSystemRandom } from "../src/runtime/system-random.ts";
import { createMeter } from "../src/server/metrics/meter.ts";
import { SINK_TYPES } from "../src/sinks/registry.ts";
import type { OpenedStore } from "../src/state/open.ts";
import { WATCH_TYPES } from "../src/watches/registry.ts";
import { hookOf } from "./polling-harness.ts";
import { SILENT_LOG } from "./silent-log.ts";

export interface DeliveryHarness {
  readonly config: Config;
  readonly pump: Pump;
  readonly routing: Routing;
  close(): Promise<void>;
}

export interface DeliveryOptions {
  readonly folder: string;
  readonly store: OpenedStore;
  /** The address of the receiver. */
  readonly url: string;
  readonly setup?: DeliverySetup;
  readonly log?: Log;
  /** The number of the writer, as in the polling harness. */
  readonly writer?: number;
}

/** Settings and sections that each alert passes through on its way. */
export interface DeliverySetup {
  /** More settings of the webhook, as YAML in one line: `, dedupe: { … }`. */
  readonly sink?: string;
  /** Further sinks, as lines of YAML. */
  readonly sinks?: string;
  /** More sections of the configuration, as YAML. */
  readonly sections?: string;
  /** An active silence that matches none of the alerts. */
  readonly hasSilence?: boolean;
}

/** The sink of ops. A message to it ends the benchmark with an error. */
const OPS = "terminal";

/**
 * The template thread, shared by all harnesses of a process, which have the same templates. Sharing
 * keeps it warm, as in a daemon that runs for months.
 */
let templateThread: TemplateRunner | undefined;

export async function createDeliveryHarness(options: DeliveryOptions): Promise<DeliveryHarness> {
  const { folder, store, url, setup = {}, log = SILENT_LOG, writer = 0 } = options;
  const config = await readConfig(folder, { url, setup, hook: hookOf(writer) });
  const clock = createSystemClock();
  const http = createHttpAgent();
  if (setup.hasSilence === true) await store.addSilence(silenceOfNobody(clock.now()));
  const silences = createActiveSilences(store, clock);
  await silences.load();
  const sinkDeps = {
    http,
    clock,
    log: SILENT_LOG,
    write: () => {},
    outputs: createOutputs(),
    linksHost: config.linksHost,
  };
  const { pump } = await createDelivery(config, {
    holds: () => true,
    submit: async () => undefined,
    mayAct: async () => true,
    store,
    clock,
    random: createSystemRandom(),
    log,
    meter: createMeter(),
    silences: () => [],
    silenceOf: silences.silenceOf,
    active: { watchOf: () => undefined },
    sinkDeps,
    onShareTaken: () => {},
    paces: new Map(),
    sizes: new Map(),
    waits: new Map(),
    onPart: () => {},
    startTemplates: (templates, more) => {
      const thread = (templateThread ??= startTemplateWorker(templates, {
        ...more,
        script: resolve("dist/template-worker.js"),
      }));
      return { run: (jobs) => thread.run(jobs), stop: async () => undefined };
    },
    ...FAILING,
  });
  return {
    config,
    pump,
    routing: createRouting(config, silences.all),
    async close() {
      await pump.stop(5_000);
      await http.close();
    },
  };
}

const FAILING = {
  onSinkFailing: ({ reason }: { readonly reason: string }) => {
    throw new Error(reason);
  },
  onSinkRecovered: () => {},
  onDead: () => {
    throw new Error("a message was given up");
  },
  onUnpublished: () => {},
  // If this threw, the error would only be logged for that message, and the figure would measure
  // messages without a template.
  onTemplateFailing: ({ problem }: { readonly problem: string }) => {
    console.error(`a template failed: ${problem}`);
    process.exit(1);
  },
};

interface Towards extends Pick<DeliveryOptions, "url"> {
  readonly setup: DeliverySetup;
  readonly hook: string;
}

async function readConfig(folder: string, towards: Towards) {
  const path = join(folder, "watches.yaml");
  await writeFile(path, textOf(towards));
  const loaded = await loadConfig({
    path,
    files: createFiles(),
    env: {},
    watchTypes: WATCH_TYPES,
    sinkTypes: SINK_TYPES,
  });
  if (!loaded.ok) throw new Error(`the configuration is refused: ${JSON.stringify(loaded.issues)}`);
  return loaded.config;
}

const textOf = ({
  url,
  hook,
  setup: { sink = "", sinks = "", sections = "" },
}: Towards): string => `version: 1
api: { base_url: "https://api.example", key: bench }
ops: { sink: ${OPS} }
watches:
  bench: { type: search, query: release, schedule: "@every 1m", sink: ${hook} }
sinks:
  ${OPS}: { type: console }
  ${hook}: { type: webhook, url: "${url}", secret: a secret of the bench, allow_private: true${sink} }
${sinks}${sections}`;

const silenceOfNobody = (nowMs: number) => ({
  matchers: ['author="nobody"'],
  startsAtMs: nowMs,
  endsAtMs: nowMs + 86_400_000,
  author: "bench",
  comment: "",
});
