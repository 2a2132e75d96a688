/** Describes changes of values in words: "reached 12,034 followers", "name: Acme → Acme HQ". */
import type { EventBody } from "../../model/event.ts";
import type { Json } from "../../model/json.ts";
import type { NeutralMessage } from "../../model/message.ts";
import { cleanLine } from "../text/clean-text.ts";
import { formatExact } from "../text/numbers.ts";

type Values = Readonly<Record<string, Json | undefined>>;

/**
 * The words for values, by their names in the body: for a number the noun after it ("followers"),
 * for a text its name ("bio").
 */
export type Nouns = Readonly<Record<string, string>>;

export interface Move {
  readonly name: string;
  readonly noun: string;
  readonly now: Json | undefined;
  readonly before: Json | undefined;
}

/**
 * Returns the numbers that crossed a threshold, in the order in which the body names them. `under`
 * is the key of the body that holds the current values.
 */
export const crossedMoves = (body: EventBody, under: string, nouns: Nouns): readonly Move[] =>
  moves(body, "crossed", under, nouns);

/** Returns the values that the body lists as changed. `under` is the key of the current values. */
export const changedMoves = (body: EventBody, under: string, nouns: Nouns): readonly Move[] =>
  moves(body, "changed", under, nouns);

function moves(
  body: EventBody,
  list: "crossed" | "changed",
  under: string,
  nouns: Nouns,
): readonly Move[] {
  const names = body[list];
  const now = valuesOf(body[under]);
  const before = valuesOf(body["previous"]);
  return (Array.isArray(names) ? names : []).flatMap((name) =>
    typeof name === "string"
      ? [{ name, noun: nouns[name] ?? name, now: now[name], before: before[name] }]
      : [],
  );
}

/** Returns the value if it is an object; otherwise an empty object. */
export const valuesOf = (value: Json | undefined): Values =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Values) : {};

/**
 * Returns "reached 12,034 followers" for a rise, "fell to 480 followers" for a fall. Several
 * numbers are joined with "and".
 */
export const crossedText = (crossed: readonly Move[]): string =>
  joinWords(
    crossed.map(({ noun, now, before }) => {
      const isFall = typeof now === "number" && typeof before === "number" && now < before;
      return `${isFall ? "fell to" : "reached"} ${countedText(now, noun)}`;
    }),
  );

/**
 * Returns "1 reply", "12 replies" or "1 follower of note": for 1, only the first plural in the noun
 * becomes a singular.
 */
const countedText = (value: Json | undefined, noun: string): string =>
  `${valueText(value)} ${value === 1 ? noun.replace(/\b(\w+?)(ies|s)\b/, singular) : noun}`;

const singular = (_word: string, stem: string, end: string): string =>
  end === "ies" ? `${stem}y` : stem;

/** Returns one fact with the previous values of the numbers that crossed a threshold. */
export const beforeFacts = (crossed: readonly Move[]): NeutralMessage["facts"] =>
  factBefore(
    crossed.flatMap(({ noun, before }) =>
      before === undefined ? [] : [countedText(before, noun)],
    ),
  );

/** Returns the fact "Before 9,870 likes, 12 replies". */
export const factBefore = (values: readonly string[]): NeutralMessage["facts"] =>
  values.length === 0 ? [] : [{ name: "Before", value: values.join(", ") }];

/** Returns "Bio: old → new", one line for each change. */
export const changedLines = (changed: readonly Move[]): string =>
  changed
    .map(({ noun, now, before }) => `${capital(noun)}: ${valueText(before)} → ${valueText(now)}`)
    .join("\n");

/** Returns a value as text: numbers in full, flags as yes and no, texts on one line. */
export function valueText(value: Json | undefined): string {
  if (typeof value === "number") return formatExact(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" && value !== "" ? cleanLine(value) : "none";
}

/** Returns "a", "a and b", or "a, b and c". */
export const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
