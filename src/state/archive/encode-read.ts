/**
 * Encodes an archived read as text, and decodes it again. Facts refer to a shared list of objects,
 * so that a post that several watches found is stored once.
 */
import type { ArchivedRead, FoundFact, FoundMembers, FoundValues } from "../../model/archive.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { toText } from "../db/json-text.ts";

/** An archived read as JSON. */
type Encoded = readonly [
  atMs: number,
  source: string,
  gatherMs: number,
  objects: readonly Json[],
  facts: readonly EncodedFact[],
  values: readonly EncodedValues[],
  sameCommit?: 0 | 1,
  baselines?: readonly EncodedMembers[],
];
type EncodedFact = readonly [
  watchKey: string,
  targetKey: string,
  targetName: string,
  found: 0 | 1 | 2,
  missed: 0 | 1 | 2,
  type: string,
  subject: string,
  episode: string,
  occurredAtMs: number,
  body: Readonly<Record<string, number>>,
];
type EncodedValues = readonly [
  watchKey: string,
  targetKey: string,
  targetName: string,
  record: number,
  before: number,
  episode?: string,
  missed?: 0 | 1 | 2,
];
type EncodedMembers = readonly [
  watchKey: string,
  targetKey: string,
  targetName: string,
  ids: readonly string[],
];

const FOUND = ["news", "baseline", "too_old"] as const;
const MISSED = [undefined, "skip", "on_return"] as const;

/**
 * Encodes a read. Adds the text of each object to `texts`, which may have it from another read: the
 * conversion takes most of the time, and the events of a commit contain the same objects.
 */
export function encodeRead(read: ArchivedRead, texts = new Map<unknown, string>()): string {
  const objects: string[] = [];
  const places = new Map<unknown, number>();
  const placeOf = (value: Json): number => {
    const known = places.get(value);
    if (known !== undefined) return known;
    places.set(value, objects.length);
    const text = texts.get(value) ?? toText(value);
    texts.set(value, text);
    return objects.push(text) - 1;
  };
  const facts = read.facts.map((one): EncodedFact => {
    // Without a prototype, every name is an ordinary one.
    const body = Object.create(null) as Record<string, number>;
    for (const [name, value] of Object.entries(one.body))
      if (value !== undefined) body[name] = placeOf(value);
    return [
      one.watchKey,
      one.targetKey,
      one.targetName,
      FOUND.indexOf(one.found) as 0 | 1 | 2,
      MISSED.indexOf(one.missed) as 0 | 1 | 2,
      one.type,
      one.subject,
      one.episode,
      one.occurredAtMs,
      body,
    ];
  });
  const values = read.values.map(
    (one): EncodedValues => [
      one.watchKey,
      one.targetKey,
      one.targetName,
      placeOf(one.record),
      placeOf(one.before),
      one.episode,
      MISSED.indexOf(one.missed) as 0 | 1 | 2,
    ],
  );
  const baselines = (read.baselines ?? []).map(
    ({ watchKey, targetKey, targetName, ids }): EncodedMembers => [
      watchKey,
      targetKey,
      targetName,
      ids,
    ],
  );
  const sameCommit = read.sameCommit === true ? 1 : 0;
  const last =
    baselines.length > 0
      ? `,${sameCommit},${JSON.stringify(baselines)}`
      : sameCommit === 1
        ? `,${sameCommit}`
        : "";
  const first = `${read.atMs},${JSON.stringify(read.source)},${read.gatherMs}`;
  return `[${first},[${objects.join(",")}],${JSON.stringify(facts)},${JSON.stringify(values)}${last}]`;
}

/** Decodes the parsed JSON of a text that `encodeRead` returned. */
export function decodeRead(encoded: unknown): ArchivedRead {
  const [atMs, source, gatherMs, objects, facts, values, sameCommit, baselines] =
    encoded as Encoded;
  const objectAt = (place: number) => objects[place] as JsonObject;
  return {
    atMs,
    source,
    gatherMs,
    ...(sameCommit === 1 ? { sameCommit: true } : {}),
    facts: facts.map((one): FoundFact => {
      const [watchKey, targetKey, targetName, found, missed, ...fact] = one;
      const [type, subject, episode, occurredAtMs, places] = fact;
      const body = Object.fromEntries(
        Object.entries(places).map(([name, place]) => [name, objectAt(place)]),
      );
      // A backtest decodes a hundred thousand facts, and spreading takes longer than the rest.
      const plain = {
        watchKey,
        targetKey,
        targetName,
        found: FOUND[found],
        type,
        subject,
        episode,
        body,
        occurredAtMs,
      };
      return missed === 0 ? plain : { ...plain, ...missedPart(missed) };
    }),
    values: values.map(
      ([
        watchKey,
        targetKey,
        targetName,
        record,
        before,
        episode = "",
        missed = 0,
      ]): FoundValues => ({
        ...{ watchKey, targetKey, targetName, episode, ...missedPart(missed) },
        record: objectAt(record),
        before: objectAt(before),
      }),
    ),
    ...(baselines === undefined ? {} : { baselines: baselines.map(membersOf) }),
  };
}

function missedPart(missed: 0 | 1 | 2): Pick<FoundFact, "missed"> {
  const was = MISSED[missed];
  return was === undefined ? {} : { missed: was };
}

const membersOf = ([watchKey, targetKey, targetName, ids]: EncodedMembers): FoundMembers => ({
  ...{ watchKey, targetKey, targetName, ids },
});
