/**
 * Delay that the daemon adds, from the moment it has an answer to the moment the webhook of an
 * event arrives in another process.
 */
import { setTimeout as pause } from "node:timers/promises";
import { createDeliveryHarness } from "./delivery-harness.ts";
import type { Figure } from "./figure.ts";
import { createPollingHarness } from "./polling-harness.ts";
import { inScratch } from "./scratch.ts";
import { delayText } from "./summary.ts";
import { makeTweets } from "./tweets.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";

const EVENTS_A_SECOND = 150;
const SECONDS = 12;
const WARM_UP_SECONDS = 2;

/**
 * Fifteen answers a second is what the service's ceiling allows with room; one event each is what
 * single alerts would see.
 */
export async function benchAddedDelay(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const eventsAnAnswer of [10, 1]) {
    const samplesMs = await inScratch((folder) => measure(folder, eventsAnAnswer));
    const answers = `${EVENTS_A_SECOND / eventsAnAnswer} answers/s of ${eventsAnAnswer}`;
    figures.push({ name: `added delay p50/p95/p99, ${answers}`, value: delayText(samplesMs) });
  }
  return figures;
}

async function measure(folder: string, eventsAnAnswer: number): Promise<readonly number[]> {
  const receiver = await startWebhookReceiver();
  const harness = await createPollingHarness({
    folder,
    wakeDelivery: () => delivery.pump.wake(),
    routing: () => delivery.routing,
  });
  const delivery = await createDeliveryHarness({ folder, store: harness.store, url: receiver.url });
  try {
    await delivery.pump.start();
    const answeredAtMs = new Map<string, number>();
    const everyMs = (1_000 * eventsAnAnswer) / EVENTS_A_SECOND;
    const startMs = performance.now();
    for (let answer = 0; answer * everyMs < (WARM_UP_SECONDS + SECONDS) * 1_000; answer += 1) {
      await pause(Math.max(0, startMs + answer * everyMs - performance.now()));
      const tweets = makeTweets(eventsAnAnswer);
      const polled = await harness.poll(tweets);
      const isWarm = answer * everyMs >= WARM_UP_SECONDS * 1_000;
      if (isWarm)
        for (const { id } of tweets)
          answeredAtMs.set(id, performance.timeOrigin + polled.answeredAtMs);
    }
    await pause(500);
    const arrivedAtMs = new Map(
      (await receiver.arrivals()).map(({ tweetId, atMs }) => [tweetId, atMs]),
    );
    return [...answeredAtMs].map(
      ([id, atMs]) => (arrivedAtMs.get(id) ?? Number.POSITIVE_INFINITY) - atMs,
    );
  } finally {
    await delivery.close();
    await harness.close();
    await receiver.close();
  }
}
