/** Messages as plain text, unescaped: notifications, fallbacks, and the lines of a list. */
import type { NeutralMessage } from "../../model/message.ts";
import type { Batch } from "../../model/sink.ts";

/** The whole message but its permalink, a line per thought: whoever trims puts the permalink behind the cut. */
export function plainMessage(message: NeutralMessage): string {
  const { context } = message;
  const quoted = context === undefined ? "" : `${context.label}${context.body === "" ? "" : `: ${context.body}`}`;
  return [message.title, message.body, quoted, factLine(message), watchLine(message)].filter((line) => line !== "").join("\n");
}

/** `Likes 12 · Replies 3`. */
export const factLine = (message: NeutralMessage): string => message.facts.map(({ name, value }) => `${name} ${value}`).join(" · ");

/** The watches that matched. */
export const watchLine = (message: NeutralMessage): string => message.watches.join(", ");

/** `Alice (@alice) posted: what she wrote`, on one line; the rest is left to whoever trims. */
export const summaryLine = (message: NeutralMessage): string =>
  (message.body === "" ? message.title : `${message.title}: ${message.body}`).replace(/\s+/g, " ");

/** What stands above the alerts; "" when one alert speaks for itself. */
export function headingOf(batch: Batch): string {
  const sample = batch.sample ? "Sample, nothing happened" : "";
  const many = batch.events.length > 1 ? `${batch.events.length} alerts` : "";
  return [sample, many].filter((part) => part !== "").join(": ");
}
