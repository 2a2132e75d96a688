/**
 * A pump over the real store and a real chat sink, under the virtual clock, towards a stand-in of
 * the chat. Call once in a file.
 */
import { DestinationPace } from "../../src/deliver/queue/destination-pace.ts";
import { MessageSizes } from "../../src/deliver/queue/message-sizes.ts";
import { createSinkWaits } from "../../src/deliver/queue/sink-waits.ts";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach } from "vitest";
import type { UnpublishedReport } from "../../src/deliver/crosspost.ts";
import { createPump, type Pump } from "../../src/deliver/pump.ts";
import type { ChirpEvent } from "../../src/model/event.ts";
import type { ItemVerdict } from "../../src/model/poll-store.ts";
import { tweetMessage } from "../../src/render/messages/tweet-message.ts";
import { routeEvent, type SinkFacts, throttlesByKey } from "../../src/route/route-event.ts";
import { digestsByName } from "../../src/route/scheduled-digest.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import type { SinkType } from "../../src/sinks/kind/sink-type.ts";
import { openStore, type OpenedStore } from "../../src/state/open.ts";
import { countingHttp } from "../support/counting-http.ts";
import { makeEmptyState } from "../support/empty-state.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

const SINK = "chat";
const links = { linksHost: "https://x.com" };
const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const meter = { count() {}, set() {}, observe() {} };

export interface RealChat {
  readonly clock: VirtualClock;
  readonly store: OpenedStore;
  /** What the operator heard of messages that were not published. */
  readonly reports: readonly UnpublishedReport[];
  /** Stopped after the test. */
  startPump(type: SinkType<any>, settings: object): Promise<Pump>;
  /** Commits events as polls do, now. */
  commit(events: readonly ChirpEvent[], verdicts?: readonly ItemVerdict[]): Promise<void>;
  /** Closed after the test. */
  keep<T extends { close(): Promise<void> }>(one: T): T;
}

export function useRealChat(facts: SinkFacts, startMs: number): () => RealChat {
  let chat: RealChat;
  let cleanUp: () => Promise<void>;
  // discord.js takes half a second of real time to load, in which the virtual clock would run on.
  beforeAll(async () => void (await import("discord.js")));
  beforeEach(async () => {
    const folder = makeEmptyState();
    const network = countingHttp();
    const clock = createVirtualClock(startMs, network.settle);
    const store = await openStore({
      path: join(folder, "state.db"),
      clock,
      random: createSeededRandom(2),
      log,
    });
    const reports: UnpublishedReport[] = [];
    const open: { close(): Promise<void> }[] = [];
    const sinks = new Map([[SINK, facts]]);
    let seed = 3;
    let pump: Pump | undefined;
    chat = {
      clock,
      store,
      reports,
      async startPump(type, settings) {
        const sink = await type.create(SINK, settings, {
          http: network.http,
          clock,
          log,
          write: () => {},
          outputs: createOutputs(),
          ...links,
        });
        pump = createPump({
          store,
          holds: () => true,
          mayAct: async () => true,
          sinks: new Map([
            [
              SINK,
              {
                type: type.type,
                sink,
                chat: true,
                concurrency: 1,
                retryForMs: 86_400_000,
                place: "",
                pace: new DestinationPace(type.limits?.(settings)),
                sizes: new MessageSizes(),
                waits: createSinkWaits(),
              },
            ],
          ]),
          throttles: throttlesByKey(undefined, sinks),
          digests: digestsByName(undefined, sinks),
          clock,
          random: createSeededRandom(seed++),
          log,
          meter,
          silenceOf: () => undefined,
          readEvent: (event) => tweetMessage(event, links),
          listedAt: () => "chirpwatch events",
          onSinkFailing: () => {},
          onSinkRecovered: () => {},
          onPart: () => {},
          onDead: () => {},
          onUnpublished: (report) => void reports.push(report),
        });
        await pump.start();
        return pump;
      },
      async commit(events, verdicts = []) {
        const nowMs = clock.now();
        const deliveries = events.flatMap((event) =>
          routeEvent(event, { ownSinks: [SINK], tree: undefined, sinks, nowMs }),
        );
        await store.commitPoll({ atMs: nowMs, targets: [], verdicts, events, deliveries });
        pump?.wake();
      },
      keep(one) {
        open.push(one);
        return one;
      },
    };
    cleanUp = async () => {
      await pump?.stop(0);
      await network.closeHttp();
      for (const one of open) await one.close();
      await store.close();
      await rm(folder, { recursive: true });
    };
  });
  afterEach(() => cleanUp());
  return () => chat;
}
