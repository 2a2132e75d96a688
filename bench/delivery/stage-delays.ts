/**
 * Measures how long an alert spends in each stage between its commit and the record that it was
 * sent, at 150 events a second, one by one.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "../../src/model/log.ts";
import { createDeliveryHarness } from "../delivery-harness.ts";
import type { Figure } from "../figure.ts";
import { createPollingHarness } from "../polling-harness.ts";
import { inScratch } from "../scratch.ts";
import { SILENT_LOG } from "../silent-log.ts";
import { delayText } from "../summary.ts";
import { makeTweets } from "../tweets.ts";
import { type Arrival, startWebhookReceiver } from "../webhook-receiver.ts";

const EVENTS_A_SECOND = 150;
const SECONDS = 12;
const WARM_UP_SECONDS = 2;

/** The times of one alert, in the order in which they happen. */
interface Moments {
  committedAtMs: number;
  sealedAtMs?: number;
  arrivedAtMs?: number;
  recordedAtMs?: number;
}

export const benchStageDelays = (): Promise<readonly Figure[]> => inScratch(measure);

async function measure(folder: string): Promise<readonly Figure[]> {
  const receiver = await startWebhookReceiver();
  const messages = createMessageTimes();
  const harness = await createPollingHarness({
    folder,
    wakeDelivery: () => delivery.pump.wake(),
    routing: () => delivery.routing,
  });
  const delivery = await createDeliveryHarness({
    folder,
    store: harness.store,
    url: receiver.url,
    log: messages.log,
  });
  const committed = new Map<string, Moments>();
  try {
    await delivery.pump.start();
    const startMs = performance.now();
    for (let event = 0; event < (WARM_UP_SECONDS + SECONDS) * EVENTS_A_SECOND; event += 1) {
      await pause(Math.max(0, startMs + (event * 1_000) / EVENTS_A_SECOND - performance.now()));
      const tweets = makeTweets(1);
      await harness.poll(tweets);
      const isWarm = event >= WARM_UP_SECONDS * EVENTS_A_SECOND;
      if (isWarm)
        for (const { id } of tweets) committed.set(id, { committedAtMs: performance.now() });
    }
    await pause(1_000);
    addArrivals(committed, await receiver.arrivals(), messages.times);
  } finally {
    await delivery.close();
    await harness.close();
    await receiver.close();
  }
  const parts: readonly (readonly [string, keyof Moments, keyof Moments])[] = [
    ["commit to sealed", "committedAtMs", "sealedAtMs"],
    ["sealed to arrived", "sealedAtMs", "arrivedAtMs"],
    ["arrived to recorded", "arrivedAtMs", "recordedAtMs"],
  ];
  return parts.map(([name, from, to]) => ({
    name: `delay p50/p95/p99, ${name}`,
    value: delayText(
      [...committed.values()].map(
        (moments) => (moments[to] ?? Number.POSITIVE_INFINITY) - (moments[from] ?? Number.NaN),
      ),
    ),
  }));
}

interface MessageTimes {
  readonly log: Log;
  /** The times of each message, by its id. */
  readonly times: ReadonlyMap<string, Pick<Moments, "sealedAtMs" | "recordedAtMs">>;
}

/** The pump's own debug lines say when a message was sealed and when its result was stored. */
function createMessageTimes(): MessageTimes {
  const times = new Map<string, { sealedAtMs?: number; recordedAtMs?: number }>();
  const log: Log = {
    ...SILENT_LOG,
    debug(text, fields) {
      const id = String(fields?.["message"]);
      if (text === "message sealed") times.set(id, { sealedAtMs: performance.now() });
      if (text === "message sent")
        times.set(id, { ...times.get(id), recordedAtMs: performance.now() });
    },
    child: () => log,
  };
  return { log, times };
}

function addArrivals(
  committed: ReadonlyMap<string, Moments>,
  arrivals: readonly Arrival[],
  messages: MessageTimes["times"],
): void {
  for (const { tweetId, messageId, atMs } of arrivals) {
    const moments = committed.get(tweetId);
    if (moments === undefined) continue;
    Object.assign(moments, messages.get(messageId), { arrivedAtMs: atMs - performance.timeOrigin });
  }
}
