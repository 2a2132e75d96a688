/**
 * Says where a person finds the events that a digest only counts: on the status page if it has a
 * public address, otherwise with a command. Also says on which page people act on alerts.
 */
import type { Config, SinkConfig } from "../../config/config.ts";
import { isoTime } from "../../model/clock.ts";
import { isEscalation } from "../../model/escalation.ts";
import type { ActAt, OutboxEvent } from "../../model/sink.ts";
import { MAX_EVENTS } from "../../server/contract/event-query.ts";

/**
 * Returns the address or the command. Both contain the time range in which the events were found,
 * to the second, and the delivery state of the events.
 */
export function listedAt(publicUrl: string | undefined, events: readonly OutboxEvent[]): string {
  const times = events.map(({ event }) => event.detectedAtMs);
  const since = toSecond(Math.min(...times));
  const until = toSecond(Math.max(...times) + 1_000);
  const asked = { state: "summarised", since, until, limit: String(events.length) };
  if (publicUrl !== undefined)
    return `${publicUrl}/events?${new URLSearchParams(asked).toString()}`;
  const options = Object.entries(asked).map(([name, value]) => `--${name} ${value}`);
  return `chirpwatch events ${options.join(" ")}`;
}

/**
 * Creates the function that names the page: that of a single alert, or the search that finds the
 * alerts of a message with several. Undefined if the messages of the sink have no such link.
 */
export function createActAt(
  { server: { publicUrl } }: Pick<Config, "server">,
  { name, actionsLink }: Pick<SinkConfig, "name" | "actionsLink">,
): ActAt | undefined {
  if (publicUrl === undefined || actionsLink !== true) return undefined;
  return (found) => {
    const events = found.filter(isAlert);
    const [only] = events;
    if (only === undefined) return undefined;
    return events.length === 1
      ? `${publicUrl}/alerts/${encodeURIComponent(only.event.id)}`
      : `${publicUrl}/events?${searchFor(events, name)}`;
  };
}

/** Whether people can act on it: on alerts of watches and on escalations, not on other events. */
const isAlert = ({ event }: OutboxEvent): boolean =>
  event.watchType !== "daemon" || isEscalation(event);

/** Returns the query for the time in which the alerts were found, to the second. */
function searchFor(events: readonly OutboxEvent[], sink: string): string {
  const times = events.map(({ event }) => event.detectedAtMs);
  return new URLSearchParams({
    since: toSecond(Math.min(...times)),
    until: toSecond(Math.max(...times) + 1_000),
    sink,
    limit: String(Math.min(MAX_EVENTS, events.length)),
  }).toString();
}

const toSecond = (epochMs: number): string => isoTime(epochMs).replace(/\.\d+Z$/, "Z");
