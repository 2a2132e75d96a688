/** Renders an event as it would be sent to a sink now. Sends and stores nothing. */
import type { Config, SinkConfig } from "../../config/config.ts";
import { didYouMean } from "../../config/suggest.ts";
import { createWordEvents, type TemplateFailure } from "../../deliver/stages/word-events.ts";
import type { Clock } from "../../model/clock.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { History } from "../../model/history.ts";
import { type Json, JsonText } from "../../model/json.ts";
import type { NeutralMessage } from "../../model/message.ts";
import type { RecheckStore } from "../../model/recheck.ts";
import type { MessageBody, OutboxEvent, Sink } from "../../model/sink.ts";
import type { TemplateRunner } from "../../model/template.ts";
import { plainMessage } from "../../render/messages/plain-message.ts";
import { cleanText } from "../../render/text/clean-text.ts";
import { spellTime } from "../../render/text/times.ts";
import { withoutDeletedText } from "../../route/follow-up.ts";
import { findReceivers } from "../../route/route-event.ts";
import type { RenderView } from "../../server/schema/render-view.ts";
import { createReader } from "../create-reader.ts";
import { sinkFactsOf, sinkTypeOf } from "../alerts/create-sink.ts";
import { createActAt } from "../alerts/listed-at.ts";
import { SAMPLE_ID, sampleOfWatch } from "./sample-event.ts";

export interface RenderParts {
  readonly store: Pick<History, "findEvents"> & Pick<RecheckStore, "eventsById">;
  readonly config: Config;
  readonly clock: Clock;
  /** Runs templates; undefined if no template is configured. */
  readonly runner: TemplateRunner | undefined;
  createSink(config: SinkConfig): Promise<Sink>;
}

/**
 * Says which event to render. `what` is the id of an event or its beginning, the id of a tweet or
 * account that an event is about, or a watch.
 */
export interface RenderRequest {
  readonly what: string;
  readonly sink: string;
}

/** Returns the view, or a sentence that says why there is none. */
export async function renderEvent(
  parts: RenderParts,
  { what, sink: name }: RenderRequest,
): Promise<RenderView | string> {
  const { config } = parts;
  const sink = config.sinks.find((one) => one.name === name);
  const names = config.sinks.map((one) => one.name);
  if (sink === undefined)
    return `there is no sink "${name}"${didYouMean(name, names) || `; known here: ${names.join(", ")}`}`;
  if (sink.settings === undefined) return `the secrets of ${name} are not available here`;
  const event = await findEvent(parts, what);
  if (typeof event === "string") return event;
  const { worded, failures, template } = await wordFor(parts, sink, withoutDeletedText(event));
  const read = createReader(config.linksHost, sink.region);
  const built = await parts.createSink(sink);
  const sample = event.id === SAMPLE_ID;
  const body = built.render({
    ...{ events: [worded], sample, read },
    ...(sample ? {} : { actAt: createActAt(config, sink) }),
  });
  return {
    event: { id: event.id, type: event.type, watch: event.watch },
    sink: name,
    sample,
    template: worded.wording === undefined && failures.length === 0 ? null : template,
    problem: failures[0]?.problem ?? "",
    text: textOf(read(worded), sink),
    payload: payloadOf(body),
  };
}

async function wordFor(
  { config, clock, runner }: RenderParts,
  sink: SinkConfig,
  event: ChirpEvent,
) {
  const failures: TemplateFailure[] = [];
  const context = {
    ownSinks: ownSinksOf(config, event),
    tree: config.route,
    sinks: sinkFactsOf(config.sinks),
    nowMs: clock.now(),
  };
  const own = findReceivers(event, context).find((receiver) => receiver.sink === sink.name)?.route
    ?.template;
  const byName = new Map(config.templates.map((template) => [template.name, template]));
  const templates =
    runner === undefined
      ? {}
      : {
          templates: {
            byName,
            runner,
            onFailing: (failure: TemplateFailure) => void failures.push(failure),
          },
        };
  const read = createReader(config.linksHost, sink.region);
  const { region, template: standard } = sink;
  const { hasMoments } = sinkTypeOf(sink);
  const worded = await createWordEvents({ clock, read, ...templates })(
    {
      name: sink.name,
      ...(standard === undefined ? {} : { template: standard }),
      ...(region === undefined ? {} : { region }),
      ...(hasMoments === undefined ? {} : { hasMoments }),
    },
    [{ event, watches: [event.watch], ...(own === undefined ? {} : { template: own }) }],
  );
  const first: OutboxEvent = worded[0] ?? { event, watches: [event.watch] };
  return { worded: first, failures, template: own ?? standard ?? null };
}

const ownSinksOf = ({ watches }: Config, { watch }: ChirpEvent): readonly string[] =>
  watches.find(({ id }) => id === watch)?.sinks ?? [];

/**
 * The number of pages of events that are searched, newest first, for an event that matches the
 * request.
 */
const MAX_PAGES = 50;
const AT_ONCE = 500;

async function findEvent(
  { store, config, clock }: RenderParts,
  what: string,
): Promise<ChirpEvent | string> {
  const [exact] = await store.eventsById([what]);
  if (exact !== undefined) return exact;
  const isWatch = config.watches.some(({ id }) => id === what);
  const subject = /\/status(?:es)?\/(\d+)/.exec(what)?.[1] ?? what;
  const fits = ({ id, subject: about, watchKey }: ChirpEvent) =>
    isWatch || about === subject || (what.length >= 4 && watchKey !== "" && id.startsWith(what));
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const asked = {
      limit: AT_ONCE,
      ...(isWatch ? { watches: [what] } : {}),
      ...(before === undefined ? {} : { before }),
    };
    const { events, next } = await store.findEvents(asked);
    const found = events.map(({ event }) => event).filter(fits);
    const [first] = found;
    if (
      first !== undefined &&
      !isWatch &&
      new Set(found.filter(({ subject: about }) => about !== subject).map(({ id }) => id)).size > 1
    )
      return `several events have ids that start with "${what}": write more of the id`;
    if (first !== undefined) return first;
    if (next === null) break;
    before = next;
  }
  const watch = config.watches.find(({ id }) => id === what);
  if (watch !== undefined) return sampleOfWatch(watch, clock.now());
  const ids = config.watches.map(({ id }) => id);
  const hint = didYouMean(what, ids) || `; known watches: ${ids.join(", ")}.`;
  return `there is no event and no watch "${what}"${hint} chirpwatch events --json lists the ids of events`;
}

function textOf(message: NeutralMessage, { region }: SinkConfig): string {
  const when = message.occurredAt ?? spellTime(message.occurredAtMs, region);
  return cleanText(
    [plainMessage(message), when, message.url ?? ""].filter((line) => line !== "").join("\n"),
  );
}

/**
 * Returns the payload. JSON text is parsed and shown as a value; other text, such as several lines
 * of a file, is shown unchanged.
 */
function payloadOf(body: MessageBody): Json {
  const payload = body instanceof JsonText ? body.text : body;
  if (typeof payload !== "string") return payload;
  try {
    return JSON.parse(payload) as Json;
  } catch {
    return payload;
  }
}
