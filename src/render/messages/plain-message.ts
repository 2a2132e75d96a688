/**
 * Writes messages as unescaped plain text, for notifications, fallback texts and the lines of
 * lists.
 */
import type { LinkList, NeutralMessage, Person } from "../../model/message.ts";
import type { Batch } from "../../model/sink.ts";
import { countTypes, countsText } from "../text/kind-words.ts";
import { moreText, personText } from "../text/people-text.ts";

/**
 * Returns the whole message without its permalink, one line per part. The code that shortens it
 * adds the permalink after the cut.
 */
export function plainMessage(message: NeutralMessage): string {
  const { context } = message;
  // A context without a text only repeats what the title says, so it is left out.
  const quoted =
    context === undefined || context.body === "" ? "" : `${context.label}: ${context.body}`;
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

/**
 * Returns a line for each account or post that the message lists, and a line that counts the
 * others.
 */
export const listLines = ({ list }: NeutralMessage): readonly string[] =>
  list === undefined
    ? []
    : [...list.people.map((person) => lineOf(list, person)), moreText(list)].filter(
        (line) => line !== "",
      );

const lineOf = ({ hasPlainLinks = false }: LinkList, person: Person): string =>
  `• ${personText(person)}${hasPlainLinks ? ` ${person.url}` : ""}`;

/** Returns `Likes 12 · Replies 3`. */
export const factLine = (message: NeutralMessage): string =>
  message.facts.map(({ name, value }) => `${name} ${value}`).join(" · ");

/** Returns the names of the watches that matched, separated by commas. */
export const watchLine = (message: NeutralMessage): string => message.watches.join(", ");

/** Returns `Alice (@alice) posted: what she wrote` on one line, without shortening it. */
export const summaryLine = (message: NeutralMessage): string =>
  (message.body === "" ? message.title : `${message.title}: ${message.body}`).replace(/\s+/g, " ");

/** Returns the heading above the cards of a batch; "" if a single card needs none. */
export function headingOf({ sample: isSample, events }: Batch, cards: number): string {
  const sample = isSample ? "Sample, nothing happened" : "";
  const many = cards > 1 ? countsText(countTypes(events)) : "";
  return [sample, many].filter((part) => part !== "").join(": ");
}
