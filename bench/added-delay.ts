/**
 * Delay that the daemon adds, from the moment it has an answer to the moment the webhook of an
 * event arrives in another process; and what a bare commit and request take.
 */
import { setTimeout as pause } from "node:timers/promises";
import { createHttpAgent } from "../src/runtime/http-agent.ts";
import { openBareCommits } from "./bare-commits.ts";
import { createDeliveryHarness } from "./delivery-harness.ts";
import type { Figure } from "./figure.ts";
import { createPollingHarness } from "./polling-harness.ts";
import { inScratch } from "./scratch.ts";
import { delayText, median, quantile } from "./summary.ts";
import { makeTweets } from "./tweets.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";

const EVENTS_A_SECOND = 150;
const SECONDS = 12;
const WARM_UP_SECONDS = 2;
const [BARE_WARM_UP, BARE_ROUNDS] = [100, 400];
const BARE_REQUEST = {
  method: "POST",
  body: "{}",
  answerBody: "drop",
  reach: "any",
  timeoutMs: 5_000,
  maxBytes: 1_000,
} as const;

/**
 * Fifteen answers a second is what the service's ceiling allows with room; one event each is what
 * single alerts would see.
 */
export async function benchAddedDelay(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const eventsAnAnswer of [10, 1]) {
    const bareMs = median(await inScratch(measureBare));
    const samplesMs = await inScratch((folder) => measure(folder, eventsAnAnswer));
    const answers = `${EVENTS_A_SECOND / eventsAnAnswer} answers/s of ${eventsAnAnswer}`;
    const ratioAt = (share: number) => quantile(samplesMs, share) / bareMs;
    figures.push({
      name: `added delay p50/p95/p99, ${answers}`,
      value: `${delayText(samplesMs)}; bare ${bareMs.toFixed(1)} ms`,
      ratios: {
        [`p50 of the delay, ${answers} / bare`]: ratioAt(0.5),
        [`p99 of the delay, ${answers} / bare`]: ratioAt(0.99),
      },
    });
  }
  return figures;
}

/** How long a commit of a row and then a request to the receiver take, in ms. */
async function measureBare(folder: string): Promise<readonly number[]> {
  const receiver = await startWebhookReceiver();
  const bare = openBareCommits(folder);
  const http = createHttpAgent();
  const tookMs: number[] = [];
  try {
    for (let count = 0; count < BARE_WARM_UP + BARE_ROUNDS; count += 1) {
      const startMs = performance.now();
      bare.commit();
      await http.request({ ...BARE_REQUEST, url: receiver.url });
      if (count >= BARE_WARM_UP) tookMs.push(performance.now() - startMs);
    }
    return tookMs;
  } finally {
    bare.close();
    await http.close();
    await receiver.close();
  }
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
