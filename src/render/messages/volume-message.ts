/** The message about the volume of a watch: far more alerts than usual, or none for a long time. */
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import { baseMessage } from "./event-message.ts";
import { formatExact } from "../text/numbers.ts";
import { valuesOf } from "./value-moves.ts";

export const isVolumeEvent = ({ event }: OutboxEvent): boolean => event.type.startsWith("volume.");

/**
 * Reads `body.volume`: for a spike `count`, `usual` and `window`, for a silent watch `for`, how
 * long it was silent, and `last_event_at`.
 */
export function volumeMessage(outboxEvent: OutboxEvent): NeutralMessage {
  const { event } = outboxEvent;
  const volume = valuesOf(event.body["volume"]);
  const title =
    event.type === "volume.silent" ? silence(event.watch, volume) : spike(event.watch, volume);
  return { ...baseMessage(outboxEvent), title, body: "" };
}

type Volume = ReturnType<typeof valuesOf>;

function spike(watch: string, { count, usual, window }: Volume): string {
  const usually = typeof usual === "number" ? `, usually ${formatExact(usual)} at this hour` : "";
  return `${watch}: ${typeof count === "number" ? formatExact(count) : "many"} alerts within ${text(window)}${usually}`;
}

function silence(watch: string, volume: Volume): string {
  const last = volume["last_event_at"];
  return `${watch}: no alert for ${text(volume["for"])}${typeof last === "string" ? `, the last one at ${last.slice(0, 16).replace("T", " ")} UTC` : ""}`;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "some time");
