/**
 * Says where a person finds the events that a digest only counts: on the status page if it has a
 * public address, otherwise with a command.
 */
import { isoTime } from "../../model/clock.ts";
import type { OutboxEvent } from "../../model/sink.ts";

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

const toSecond = (epochMs: number): string => isoTime(epochMs).replace(/\.\d+Z$/, "Z");
