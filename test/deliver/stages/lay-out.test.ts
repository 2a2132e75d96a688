/** How long a digest is rendered without a break, and that it is the same as in one go. */
import { expect, it } from "vitest";
import { MessageSizes } from "../../../src/deliver/queue/message-sizes.ts";
import type { SinkQueue } from "../../../src/deliver/queue/sink-queue.ts";
import { layOut, layOutHalves } from "../../../src/deliver/stages/lay-out.ts";
import type { OutboxEvent } from "../../../src/model/sink.ts";
import { renderSlackDigest } from "../../../src/sinks/slack/slack-digest.ts";
import { EVENT_TIME_MS } from "../../support/make-event.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { tweetBatch } from "../../sinks/chat-batch.ts";

/** More alerts than one digest holds wait for the next one. */
const MAX_ALERTS = 5_000;
/** No message of Slack holds more alerts than this. */
const MAX_IN_PART = 150;

function slackOf() {
  const { events, read } = tweetBatch(Array.from({ length: MAX_ALERTS }, () => ({})));
  const real = createVirtualClock(EVENT_TIME_MS);
  let reads = 0;
  const readsInTurn: number[] = [];
  const after: typeof real.after = (ms, fn) => {
    readsInTurn.push(reads);
    reads = 0;
    return real.after(ms, fn);
  };
  const deps = {
    clock: { ...real, after },
    read: (event: OutboxEvent) => {
      reads += 1;
      return read(event);
    },
    listedAt: () => "",
    digests: new Map(),
    log: { error: (message: string, fields: object) => expect([message, fields]).toBe("") },
  } as unknown as Parameters<typeof layOut>[0];
  const queue = {
    name: "chat",
    sizes: new MessageSizes(),
    sink: { lists: { above: 10, render: renderSlackDigest } },
  } as unknown as SinkQueue;
  const turns = async <T>(work: Promise<T>): Promise<T> => {
    await real.advance(1);
    return work;
  };
  return { events, deps, queue, readsInTurn, turns };
}

const SHOWN = { groupKey: "digest", cause: "throttle", mentions: [] } as const;

it("gives other work its turn after every few alerts of a digest of thousands", async () => {
  const { events, deps, queue, readsInTurn, turns } = slackOf();
  const { parts } = await turns(layOut(deps, queue, events, SHOWN));
  expect(parts.flatMap((part) => part.events)).toEqual(events);
  expect(readsInTurn.length).toBeGreaterThanOrEqual(MAX_ALERTS / MAX_IN_PART);
  expect(Math.max(...readsInTurn)).toBeLessThanOrEqual(2 * MAX_IN_PART);
});

it("does so too where a receiver called the digest too large", async () => {
  const { events, deps, queue, readsInTurn, turns } = slackOf();
  queue.sizes.refused("x".repeat(400_000));
  const halves = layOutHalves(deps, queue, { listed: events, unlisted: [] }, SHOWN);
  const parts = await turns(halves);
  expect(parts.flatMap((part) => part.events)).toEqual(events);
  expect(Math.max(...readsInTurn)).toBeLessThanOrEqual(2 * MAX_IN_PART);
});
