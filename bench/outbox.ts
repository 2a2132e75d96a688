/**
 * Events per second from a full outbox to a webhook on loopback in another process, until the last
 * result is durable. Bare commits take turns with it.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { OpenedStore } from "../src/state/open.ts";
import { bareCommitRate } from "./bare-commits.ts";
import { createDeliveryHarness, type DeliverySetup } from "./delivery-harness.ts";
import type { Figure } from "./figure.ts";
import { createPollingHarness } from "./polling-harness.ts";
import { inScratch } from "./scratch.ts";
import { median, wholeText } from "./summary.ts";
import { makeTweets } from "./tweets.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";

const EVENTS = 6_000;
const ROUNDS = 3;
const EVENTS_A_POLL = 1_000;
/** The first connections and compilations are the start's, not the rate's. */
const WARM_UP_EVENTS = 1_000;

export async function benchOutbox(): Promise<readonly Figure[]> {
  const [rates, bareRates]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    bareRates.push(await bareCommitRate());
    rates.push(await drainRate({}));
  }
  const [rate, bareRate] = [median(rates), median(bareRates)];
  return [
    {
      name: "outbox to webhook, durable",
      value: `${wholeText(rate)} events/s (rounds: ${rates.map(wholeText).join(", ")}); bare commits ${wholeText(bareRate)}/s`,
      ratios: { "time of a delivery / bare commit": bareRate / rate },
    },
  ];
}

/** Returns the rate of one drain, in events a second. */
export const drainRate = (setup: DeliverySetup): Promise<number> =>
  inScratch((folder) => drain(folder, setup));

async function drain(folder: string, setup: DeliverySetup): Promise<number> {
  const receiver = await startWebhookReceiver();
  const harness = await createPollingHarness({ folder, routing: () => delivery.routing });
  const delivery = await createDeliveryHarness({
    folder,
    store: harness.store,
    url: receiver.url,
    setup,
  });
  try {
    await harness.poll(makeTweets(WARM_UP_EVENTS));
    await delivery.pump.start();
    await untilSent(harness.store, WARM_UP_EVENTS);
    for (let events = 0; events < EVENTS; events += EVENTS_A_POLL)
      await harness.poll(makeTweets(EVENTS_A_POLL));
    const startMs = performance.now();
    delivery.pump.wake();
    await untilSent(harness.store, WARM_UP_EVENTS + EVENTS);
    const tookMs = performance.now() - startMs;
    const arrived = new Set((await receiver.arrivals()).map(({ tweetId }) => tweetId));
    if (arrived.size !== WARM_UP_EVENTS + EVENTS)
      throw new Error(`${arrived.size} of ${WARM_UP_EVENTS + EVENTS} events arrived`);
    return (EVENTS * 1_000) / tookMs;
  } finally {
    await delivery.close();
    await harness.close();
    await receiver.close();
  }
}

async function untilSent(store: OpenedStore, count: number): Promise<void> {
  const isDone = async () =>
    (await store.outboxStats()).reduce((sum, { sent }) => sum + sent, 0) >= count;
  while (!(await isDone())) await pause(20);
}
