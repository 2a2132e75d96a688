/**
 * Encodes an archived read as text, and decodes it again. Facts refer to a shared list of objects,
 * so that a post that several watches found is stored once.
 */
import type { ArchivedRead, FoundFact, FoundValues } from "../../model/archive.ts";
import type { EventBody } from "../../model/event.ts";
import type { Json, JsonObject } from "../../model/json.ts";

/** An archived read as JSON. */
type Encoded = readonly [
  atMs: number,
  source: string,
  gatherMs: number,
  objects: readonly Json[],
  facts: readonly EncodedFact[],
  values: readonly EncodedValues[],
  sameCommit?: 1,
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
];

const FOUND = ["news", "baseline", "too_old"] as const;
const MISSED = [undefined, "skip", "on_return"] as const;

export function encodeRead(read: ArchivedRead): string {
  const objects: Json[] = [];
  const places = new Map<unknown, number>();
  const placeOf = (value: Json): number => {
    const known = places.get(value);
    if (known !== undefined) return known;
    places.set(value, objects.length);
    return objects.push(value) - 1;
  };
  const facts = read.facts.map((one): EncodedFact => {
    const body: Record<string, number> = {};
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
    ],
  );
  const { atMs, source, gatherMs, sameCommit } = read;
  const encoded: Encoded =
    sameCommit === true
      ? [atMs, source, gatherMs, objects, facts, values, 1]
      : [atMs, source, gatherMs, objects, facts, values];
  return JSON.stringify(encoded);
}

/** Decodes the parsed JSON of a text that `encodeRead` returned. */
export function decodeRead(encoded: unknown): ArchivedRead {
  const [atMs, source, gatherMs, objects, facts, values, sameCommit] = encoded as Encoded;
  const objectAt = (place: number) => objects[place] as JsonObject;
  return {
    atMs,
    source,
    gatherMs,
    ...(sameCommit === 1 ? { sameCommit: true } : {}),
    facts: facts.map((one): FoundFact => {
      const [watchKey, targetKey, targetName, found, missed, ...fact] = one;
      const [type, subject, episode, occurredAtMs, places] = fact;
      const body: Record<string, Json> = {};
      for (const [name, place] of Object.entries(places)) body[name] = objectAt(place);
      const was = MISSED[missed];
      return {
        ...{ watchKey, targetKey, targetName, found: FOUND[found] },
        ...(was === undefined ? {} : { missed: was }),
        ...{ type, subject, episode, body: body as EventBody, occurredAtMs },
      };
    }),
    values: values.map(
      ([watchKey, targetKey, targetName, record, before]): FoundValues => ({
        ...{ watchKey, targetKey, targetName },
        record: objectAt(record),
        before: objectAt(before),
      }),
    ),
  };
}
