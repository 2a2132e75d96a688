/**
 * Values are told as they were: a field that changed with what it came to, a threshold once it is crossed and not again before the value came
 * back by a tenth. This is the specification of values; see docs/polling-single.md, "Values".
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import type { LeftEvent } from "../run/read-state.ts";
import type { Fact } from "../run/world-book.ts";
import type { Evidence } from "./evidence.ts";
import { createNames } from "./owed.ts";
import { accountsOf } from "./selects.ts";
import { STALE_MS, troubledHandles, valueAt, valuesWithin, type Watched, watchedOf } from "./timeline.ts";

/** One value that a watch follows. */
interface Followed {
  readonly watched: Watched;
  readonly name: string;
  readonly facts: readonly Fact[];
  /** Its events, in order. */
  readonly events: readonly LeftEvent[];
  /** In the words of objections. */
  readonly what: string;
}

const FIELDS = ["display_name", "description", "location"];
const STANDARD_FIELDS = ["display_name", "description"];

export function checkValues(evidence: Evidence): readonly string[] {
  if (evidence.isClockSet) return [];
  const troubled = troubledHandles(evidence);
  return watchedOf(evidence).flatMap((watched) => {
    const { keys, type } = watched.rules;
    const thresholds = Object.entries((keys["when"] ?? {}) as Readonly<Record<string, string>>);
    const fields =
      type !== "profile" ? [] : FIELDS.filter((field) => ((keys["fields"] ?? STANDARD_FIELDS) as readonly string[]).includes(field));
    const subjects =
      type === "tweet"
        ? (keys["tweets"] as readonly string[]).map(postIn)
        : /^(?:profile|score|score_delta)$/.test(type)
          ? accountsOf(keys, evidence.scene)
          : [];
    return subjects
      .filter((subject) => !troubled.has(subject))
      .flatMap((subject) => [
        ...fields.flatMap((name) => checkField(follow({ watched, subject, name, list: "changed" }, evidence), evidence)),
        ...thresholds.flatMap(([name, text]) =>
          checkThreshold(follow({ watched, subject, name, list: "crossed" }, evidence), Number(text.replace(">= ", "")), evidence),
        ),
      ]);
  });
}

const postIn = (reference: string): string => /%post:(\w+)%/.exec(reference)?.[1] ?? "";

interface Query {
  readonly watched: Watched;
  readonly subject: string;
  readonly name: string;
  /** Which names of an event count. */
  readonly list: "changed" | "crossed";
}

const KINDS: Readonly<Record<string, string>> = { profile: "profile", score: "score", score_delta: "score", tweet: "count" };

function follow({ watched, subject, name, list }: Query, { played, epochs }: Evidence): Followed {
  const nameOf = createNames(epochs);
  const { type } = watched.rules;
  const id = type === "tweet" ? played.world.tweets().find((tweet) => tweet.name === subject)?.id : undefined;
  const isAbout = ({ body, watch }: LeftEvent): boolean =>
    nameOf(watch) === watched.name &&
    ((body[list] ?? []) as readonly string[]).includes(name) &&
    (id === undefined
      ? played.world.handleOf((body["user"] as JsonObject)["id"] as string) === subject
      : (body["tweet"] as JsonObject)["id"] === id);
  const facts = played.world.facts.get(`${KINDS[type]} ${subject} ${name}`) ?? [];
  return { watched, name, facts, events: played.left.events.filter(isAbout), what: `${type} ${watched.name}: ${name} of ${subject}` };
}

function checkField({ watched, name, facts, events, what }: Followed, { played }: Evidence): readonly string[] {
  const objections = events.flatMap((event, n) => {
    const sinceMs = (events[n - 1]?.detectedAtMs ?? watched.fromMs) - STALE_MS;
    const told = (event.body["user"] as JsonObject)[name] ?? null;
    return valuesWithin(facts, sinceMs, event.detectedAtMs).includes(told)
      ? []
      : [`${what} is told as ${JSON.stringify(told)}, and was not`];
  });
  if (!watched.isBound || isUnsettled(watched, facts)) return objections;
  const last = events.at(-1)?.body["user"] as JsonObject | undefined;
  const told: Json = last === undefined ? valueAt(facts, watched.settledMs) : (last[name] ?? null);
  const actual = valueAt(facts, played.endMs);
  return told === actual
    ? objections
    : [...objections, `${what} is ${JSON.stringify(actual)} in the end, and ${JSON.stringify(told)} was told last`];
}

/** It comes back by a tenth before it counts again. */
const REARM = 0.9;

function checkThreshold({ watched, facts, events, what }: Followed, limit: number, { played }: Evidence): readonly string[] {
  const objections = events.flatMap((event, n) => {
    const before = events[n - 1];
    const values = valuesWithin(facts, (before?.detectedAtMs ?? watched.fromMs) - STALE_MS, event.detectedAtMs).map(Number);
    if (!values.some((value) => value >= limit)) return [`${what} is told across ${limit}, and was not`];
    const low = before === undefined ? limit : limit * REARM + 1e-9;
    return values.some((value) => value < low || (before !== undefined && value <= low)) ? [] : [`${what} is told across ${limit} twice`];
  });
  if (!watched.isBound || isUnsettled(watched, facts)) return objections;
  const isMissed =
    Number(valueAt(facts, watched.settledMs)) < limit && Number(valueAt(facts, played.endMs)) >= limit && events.length === 0;
  return isMissed ? [...objections, `${what} is across ${limit} in the end, and nobody was told`] : objections;
}

const isUnsettled = ({ fromMs, settledMs }: Watched, facts: readonly Fact[]): boolean =>
  valuesWithin(facts, fromMs - STALE_MS, settledMs).length > 1;
