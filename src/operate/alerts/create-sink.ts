/**
 * Creates a configured sink whose errors do not reveal its secrets. A receiver's answer may repeat
 * the address or the token of the request.
 */
import type { SinkConfig } from "../../config/config.ts";
import type { SinkFacts } from "../../route/route-event.ts";
import { type Sink, SinkError } from "../../model/sink.ts";
import { createRedactor } from "../../runtime/redaction.ts";
import { SINK_TYPES } from "../../sinks/registry.ts";
import { hasSecretAddress, secretTexts, sinkPlace } from "../../sinks/kind/sink-secrets.ts";
import type { SinkDeps, SinkType } from "../../sinks/kind/sink-type.ts";

/** Returns the type of a sink. The configuration has checked that the type exists. */
export function sinkTypeOf(config: SinkConfig): SinkType<any> {
  const type = SINK_TYPES.find((candidate) => candidate.type === config.type);
  if (type === undefined) throw new Error(`no sink type ${config.type}`);
  return type;
}

/** Returns the texts that must not be shown; none if the sink's settings are not available. */
export const sinkSecrets = (config: SinkConfig): readonly string[] =>
  secretTexts(sinkTypeOf(config), config.settings);

/**
 * Returns where a sink posts: "#brand", or the host and fingerprint of an address. If the sink's
 * settings are not available, because a secret is not, it returns the sink's name.
 */
export const placeOfSink = (config: SinkConfig): string =>
  config.settings === undefined ? config.name : sinkPlace(sinkTypeOf(config), config.settings);

/**
 * Returns where a sink posts, as part of a sentence. The sink's name is added if the place alone
 * says too little.
 */
export function describeSink(config: SinkConfig): string {
  const place = placeOfSink(config);
  return config.settings !== undefined && hasSecretAddress(sinkTypeOf(config), config.settings)
    ? `${config.name} (${place})`
    : place;
}

/** Returns the facts about sinks on which routing depends. */
export const sinkFactsOf = (sinks: readonly SinkConfig[]): ReadonlyMap<string, SinkFacts> =>
  new Map(sinks.map((sink) => [sink.name, { ...sink, chat: sinkTypeOf(sink).chat }]));

export async function createSink(config: SinkConfig, deps: SinkDeps): Promise<Sink> {
  const sink = await sinkTypeOf(config).create(config.name, config.settings, deps);
  const { crosspost, updates } = sink;
  const { redact } = createRedactor(sinkSecrets(config));
  const guarded = <T>(attempt: Promise<T>): Promise<T> =>
    attempt.catch((error: unknown) => Promise.reject(withoutSecrets(error, redact)));
  return {
    ...sink,
    send: (message, signal) => guarded(sink.send(message, signal)),
    ...(updates === undefined
      ? {}
      : { updates: { ...updates, send: (edit, signal) => guarded(updates.send(edit, signal)) } }),
    ...(crosspost === undefined
      ? {}
      : { crosspost: (ref, signal) => guarded(crosspost(ref, signal)) }),
  };
}

/** Removes secrets from the message and the hint: only these are stored, shown and reported. */
function withoutSecrets(error: unknown, redact: (text: string) => string): unknown {
  if (!(error instanceof SinkError)) return error;
  const { kind, status, retry, fields, cause } = error;
  return new SinkError(kind, redact(error.message), status, {
    hint: redact(error.hint),
    retry,
    fields,
    cause,
  });
}
