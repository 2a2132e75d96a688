/**
 * Sends one message, marked as a sample, directly to a sink. The outbox and its retries are not
 * used, so that a refusal is seen immediately.
 */
import type { Config, SinkConfig } from "../../config/config.ts";
import type { Clock } from "../../model/clock.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { Random } from "../../model/random.ts";
import type { SendReceipt, Sink } from "../../model/sink.ts";
import { routeEvent } from "../../route/route-event.ts";
import type { SinkDeps } from "../../sinks/kind/sink-type.ts";
import { createSink, sinkTypeOf } from "./create-sink.ts";
import { createReader } from "../create-reader.ts";

const TIMEOUT_MS = 30_000;

/**
 * Sends the sample. @throws SinkError if the sink refuses it, with a hint that says how to fix that
 */
export async function sendSample(
  config: SinkConfig,
  event: ChirpEvent,
  deps: SinkDeps & { readonly random: Random },
): Promise<SendReceipt> {
  return sendSampleNow(
    {
      sink: await createSink(config, deps),
      name: config.name,
      clock: deps.clock,
      random: deps.random,
      linksHost: deps.linksHost,
    },
    event,
  );
}

export interface SampleParts {
  readonly sink: Sink;
  readonly name: string;
  readonly clock: Pick<Clock, "now">;
  readonly random: Pick<Random, "id">;
  readonly linksHost: string;
}

/** Sends the sample through a sink that exists already. @throws SinkError if the sink refuses it */
export async function sendSampleNow(
  { sink, name, clock, random, linksHost }: SampleParts,
  event: ChirpEvent,
): Promise<SendReceipt> {
  const watches = event.watch === "" ? [] : [event.watch];
  const body = sink.render({
    events: [{ event, watches }],
    sample: true,
    read: createReader(linksHost),
  });
  const sealedAtMs = clock.now();
  const message = { id: random.id(), sink: name, groupKey: event.id, sealedAtMs, body };
  return sink.send(message, AbortSignal.timeout(TIMEOUT_MS));
}

/** Returns the sinks to which an event of this watch would go now. */
export function sinksOf(
  config: Config,
  event: ChirpEvent,
  ownSinks: readonly string[],
  nowMs: number,
): readonly SinkConfig[] {
  const facts = new Map(config.sinks.map((sink) => [sink.name, { chat: sinkTypeOf(sink).chat }]));
  const names = new Set(
    routeEvent(event, { ownSinks, tree: config.route, sinks: facts, nowMs }).map(
      ({ sink }) => sink,
    ),
  );
  return config.sinks.filter(({ name }) => names.has(name));
}

/** Creates the event that `test --sink` sends. Its text says that it is only a test. */
export function sampleEvent(sink: string, id: string, nowMs: number): ChirpEvent {
  return {
    id,
    type: "sink.sample",
    watchKey: "",
    watch: "",
    watchType: "daemon",
    subject: sink,
    labels: { watch: "", type: "daemon", event: "sink.sample", severity: "info" },
    body: {
      message: `Sample: chirpwatch can post to ${sink}.`,
      hint: "Alerts will look for you here. Nothing happened; someone ran chirpwatch test.",
    },
    occurredAtMs: nowMs,
    detectedAtMs: nowMs,
  };
}
