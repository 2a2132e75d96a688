/**
 * Measures the time from a click below a message in Slack until Slack has the edit that shows its
 * effect, while 150 events a second go to a webhook.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { answerClick } from "../../src/chat/clicks/answer-click.ts";
import { ClickQueue } from "../../src/chat/clicks/click-queue.ts";
import { SLACK_MARKUP } from "../../src/chat/slack/slack-markup.ts";
import type { ButtonVerb } from "../../src/model/chat-action.ts";
import { createActions } from "../../src/operate/actions/actions.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { createDeliveryHarness } from "../delivery-harness.ts";
import type { Figure } from "../figure.ts";
import { createPollingHarness } from "../polling-harness.ts";
import { inScratch } from "../scratch.ts";
import { SILENT_LOG } from "../silent-log.ts";
import { delayText } from "../summary.ts";
import { makeTweets } from "../tweets.ts";
import { startWebhookReceiver } from "../webhook-receiver.ts";

const EVENTS_A_SECOND = 150;
const WARM_UP_MS = 2_000;
const CLICKS = 30;
/** The time between two clicks. Edits of a sink keep at least 1.2 s between them. */
const CLICK_EVERY_MS = 1_500;

export const benchClickToEdit = (): Promise<readonly Figure[]> => inScratch(measure);

async function measure(folder: string): Promise<readonly Figure[]> {
  const receiver = await startWebhookReceiver();
  const slack = await startSlack();
  const harness = await createPollingHarness({
    folder,
    wakeDelivery: () => delivery.pump.wake(),
    routing: () => delivery.routing,
  });
  const { store } = harness;
  const delivery = await createDeliveryHarness({
    ...{ folder, store, url: receiver.url },
    setup: {
      sinks: `  chat: { type: slack, token: xoxb-bench, channel: "#b", api_url: "${slack.apiUrl}", actions: [acknowledge] }\n`,
      sections: "chat: { slack: { app_token: xapp-bench } }\n",
    },
  });
  const load = new AbortController();
  try {
    await delivery.pump.start();
    await commitAlert(store, delivery.pump);
    const messageId = await slack.posted;
    const loaded = produce(() => harness.poll(makeTweets(1)), load.signal);
    await pause(WARM_UP_MS);
    const click = createClicks({ store, delivery }, messageId);
    const delays: number[] = [];
    for (let number = 0; number < CLICKS; number += 1) {
      const nextAtMs = performance.now() + CLICK_EVERY_MS;
      const edited = slack.nextEdit();
      const clickedAtMs = performance.now();
      click(number % 2 === 0 ? "acknowledge" : "undo", String(number));
      delays.push((await edited) - clickedAtMs);
      await pause(Math.max(0, nextAtMs - performance.now()));
    }
    load.abort();
    await loaded;
    const value = delayText(delays);
    return [{ name: "delay p50/p95/p99, click to edit", value }];
  } finally {
    load.abort();
    await delivery.close();
    await harness.close();
    await slack.close();
    await receiver.close();
  }
}

/** Creates one event every 1/150 s until it is aborted. */
async function produce(one: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  const startMs = performance.now();
  for (let event = 0; !signal.aborted; event += 1) {
    await pause(Math.max(0, startMs + (event * 1_000) / EVENTS_A_SECOND - performance.now()));
    await one();
  }
}

type Store = Awaited<ReturnType<typeof createPollingHarness>>["store"];
type Delivery = Awaited<ReturnType<typeof createDeliveryHarness>>;

async function commitAlert(store: Store, pump: Delivery["pump"]): Promise<void> {
  const atMs = Date.now();
  const [tweet] = makeTweets(1);
  if (tweet === undefined) throw new Error("there is a tweet");
  await store.commitPoll({
    ...{ atMs, targets: [], verdicts: [] },
    events: [
      {
        ...{ id: "clicked", type: "tweet.created", watchKey: "bench", watch: "bench" },
        ...{ watchType: "search", subject: tweet.id, labels: {} },
        ...{ body: { tweet }, occurredAtMs: atMs, detectedAtMs: atMs },
      },
    ],
    deliveries: [
      {
        ...{ eventId: "clicked", sink: "chat", groupKey: "clicked", notBeforeMs: atMs },
        ...{ groupWaitMs: 0, groupIntervalMs: 0 },
      },
    ],
  });
  pump.wake();
}

/** Returns a function that puts a click into effect, as a connection to Slack does. */
function createClicks(
  { store, delivery }: { readonly store: Store; readonly delivery: Delivery },
  messageId: string,
): (verb: ButtonVerb, id: string) => void {
  const config = () => delivery.config;
  const effects = {
    describe: async () => "now",
    alertsMarked: async () => delivery.pump.wake(),
  };
  const actions = createActions({
    ...{ store, clock: createSystemClock(), hash: sha256, config },
    effects: effects as never,
  });
  const queue = new ClickQueue();
  return (verb, id) =>
    answerClick({ store, actions, config, log: SILENT_LOG }, { markup: SLACK_MARKUP }, queue, {
      ...{ vendor: "slack", id: `slack:${id}`, button: { verb, messageId }, choice: undefined },
      ...{ person: { id: "U1", name: "Ada" }, roles: [], mayManageMessages: false },
      answer: async () => undefined,
      say: (text) => Promise.reject(new Error(text)),
    });
}

/** A stand-in for Slack that can post and edit. */
async function startSlack() {
  let onPosted = (_messageId: string) => {};
  let onEdit = (_atMs: number) => {};
  const posted = new Promise<string>((resolve) => (onPosted = resolve));
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
    request.on("end", () => {
      if (request.url?.endsWith("chat.update") === true) onEdit(performance.now());
      else {
        const metadata = new URLSearchParams(body).get("metadata") ?? "{}";
        onPosted(String(JSON.parse(metadata).event_payload?.id));
      }
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ ok: true, ts: "1.1", channel: "C0BENCH" }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    posted,
    /** Resolves with the time at which the next edit arrives. */
    nextEdit: () => new Promise<number>((resolve) => (onEdit = resolve)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
