/** A receiver on loopback for all tests of a file, and one attempt of any sink that posts to it. */
import { afterAll, beforeAll, expect } from "vitest";
import type { Batch, SealedMessage, SendReceipt, SinkError } from "../../src/model/sink.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import type { SinkDeps, SinkType } from "../../src/sinks/kind/sink-type.ts";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import { type LoopbackServer, startLoopbackServer } from "../support/loopback-server.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => log };

export interface Receiver extends Pick<LoopbackServer, "url" | "received" | "answer"> {
  /** Makes one attempt. `settings` are as in the configuration. */
  send(
    type: string,
    settings: object,
    batch: Batch,
    more?: Partial<SealedMessage>,
  ): Promise<SendReceipt>;
}

/** Creates a receiver that listens while the tests of the file run. */
export function useReceiver(): Receiver {
  let server: LoopbackServer;
  let http: HttpAgent;
  beforeAll(async () => {
    server = await startLoopbackServer();
    http = createHttpAgent();
  });
  afterAll(async () => {
    await http.close();
    await server.close();
  });
  return {
    get url() {
      return server.url;
    },
    get received() {
      return server.received;
    },
    answer: (next) => server.answer(next),
    async send(type, settings, batch, more = {}) {
      const found = SINK_TYPES.find((one) => one.type === type) as SinkType<unknown>;
      const deps = {
        http,
        clock: createVirtualClock(0),
        log,
        outputs: createOutputs(),
      } as unknown as SinkDeps;
      const sink = await found.create("news", found.schema.parse(settings), deps);
      const message = {
        id: "m1",
        sink: "news",
        groupKey: "",
        sealedAtMs: 0,
        body: sink.render(batch),
        ...more,
      };
      return sink.send(JSON.parse(JSON.stringify(message)), new AbortController().signal);
    },
  };
}

export const errorOf = (attempt: Promise<unknown>): Promise<SinkError> =>
  attempt.then(
    () => expect.unreachable(),
    (error) => error,
  );
