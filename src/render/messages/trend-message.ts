/** The message about a trend: its name, its rank, and its previous rank. */
import type { Json } from "../../model/json.ts";
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import { cleanLine } from "../text/clean-text.ts";
import { baseMessage } from "./event-message.ts";
import { webUrl } from "../text/permalink.ts";
import { valuesOf } from "./value-moves.ts";

/**
 * Reads `body.trend` (`name`, `url`, `rank`) and `body.previous.rank`. The label `target` is the
 * WOEID of the place; 1 is the whole world.
 */
export function trendMessage(event: OutboxEvent): NeutralMessage {
  const { body, labels } = event.event;
  const trend = valuesOf(body["trend"]);
  const url = typeof trend["url"] === "string" ? webUrl(trend["url"]) : undefined;
  const place =
    labels["target"] === "1" ? "worldwide" : `in place ${labels["target"] ?? "unknown"}`;
  const name = typeof trend["name"] === "string" ? cleanLine(trend["name"]) : "A name";
  return {
    ...baseMessage(event),
    title: `${name} ${deedOf(trend["rank"], valuesOf(body["previous"])["rank"], place)}`,
    body: "",
    url,
  };
}

function deedOf(rank: Json | undefined, before: Json | undefined, place: string): string {
  if (typeof rank !== "number")
    return `is no longer trending ${place}${typeof before === "number" ? ` (it was number ${before})` : ""}`;
  if (typeof before !== "number") return `is trending at number ${rank} ${place}`;
  return `${rank < before ? "rose" : "fell"} from number ${before} to ${rank} of the trends ${place}`;
}
