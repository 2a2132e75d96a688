/** Messages as plain text, unescaped: notifications, fallbacks, and the lines of a list. */
import type { LinkList, NeutralMessage, Person } from "../../model/message.ts";
import type { Batch } from "../../model/sink.ts";
import { countTypes, countsText } from "../text/kind-words.ts";
import { moreText, personText } from "../text/people-text.ts";

/**
 * The whole message but its permalink, a line per thought: whoever trims puts the permalink behind
 * the cut.
 */
export function plainMessage(message: NeutralMessage): string {
  const { context } = message;
  const quoted =
    context === undefined
      ? ""
      : `${context.label}${context.body === "" ? "" : `: ${context.body}`}`;
  return [
    message.title,
    message.body,
    ...listLines(message),
    quoted,
    factLine(message),
    watchLine(message),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

/** A line for each account or post that the message lists, and one that counts the others. */
export const listLines = ({ list }: NeutralMessage): readonly string[] =>
  list === undefined
    ? []
    : [...list.people.map((person) => lineOf(list, person)), moreText(list)].filter(
        (line) => line !== "",
      );

const lineOf = ({ hasPlainLinks = false }: LinkList, person: Person): string =>
  `• ${personText(person)}${hasPlainLinks ? ` ${person.url}` : ""}`;

/** `Likes 12 · Replies 3`. */
export const factLine = (message: NeutralMessage): string =>
  message.facts.map(({ name, value }) => `${name} ${value}`).join(" · ");

/** The watches that matched. */
export const watchLine = (message: NeutralMessage): string => message.watches.join(", ");

/** `Alice (@alice) posted: what she wrote`, on one line; the rest is left to whoever trims. */
export const summaryLine = (message: NeutralMessage): string =>
  (message.body === "" ? message.title : `${message.title}: ${message.body}`).replace(/\s+/g, " ");

/** What stands above the cards of a batch; "" when one card speaks for itself. */
export function headingOf({ sample: isSample, events }: Batch, cards: number): string {
  const sample = isSample ? "Sample, nothing happened" : "";
  const many = cards > 1 ? countsText(countTypes(events)) : "";
  return [sample, many].filter((part) => part !== "").join(": ");
}
