/** The real pump with the real webhook sink on a store, towards one receiver. */
import { createPump, type Pump } from "../src/deliver/pump.ts";
import { throttlesByKey } from "../src/route/route-event.ts";
import { createHttpAgent } from "../src/runtime/http-agent.ts";
import { createSystemClock } from "../src/runtime/system-clock.ts";
import { createSystemRandom } from "../src/runtime/system-random.ts";
import { createOutputs } from "../src/runtime/outputs.ts";
import { createMeter } from "../src/server/metrics/meter.ts";
import { webhookSink } from "../src/sinks/webhook/webhook.ts";
import type { OpenedStore } from "../src/state/open.ts";
import { HOOK } from "./polling-harness.ts";
import { SILENT_LOG } from "./silent-log.ts";

export interface DeliveryHarness {
  readonly pump: Pump;
  close(): Promise<void>;
}

export async function createDeliveryHarness(store: OpenedStore, url: string): Promise<DeliveryHarness> {
  const clock = createSystemClock();
  const http = createHttpAgent();
  const settings = webhookSink.schema.parse({ url, secret: "a secret of the bench", allow_private: true });
  const sink = await webhookSink.create(HOOK, settings as never, {
    http,
    clock,
    log: SILENT_LOG,
    write: () => {},
    outputs: createOutputs(),
    linksHost: "",
  });
  const pump = createPump({
    store,
    sinks: new Map([[HOOK, { type: "webhook", sink, chat: false, concurrency: webhookSink.concurrency, retryForMs: 3_600_000 }]]),
    throttles: throttlesByKey(undefined, new Map([[HOOK, { chat: false }]])),
    clock,
    random: createSystemRandom(),
    log: SILENT_LOG,
    meter: createMeter(),
    silenceOf: () => undefined,
    readEvent: () => {
      throw new Error("a webhook reads nothing aloud");
    },
    listedAt: () => {
      throw new Error("a webhook lists everything");
    },
    onSinkFailing: ({ reason }) => {
      throw new Error(reason);
    },
    onSinkRecovered: () => {},
    onDead: () => {
      throw new Error("a message was given up");
    },
    onUnpublished: () => {},
  });
  return {
    pump,
    async close() {
      await pump.stop(5_000);
      await http.close();
    },
  };
}
