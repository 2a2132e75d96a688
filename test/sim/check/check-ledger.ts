/**
 * Checks the ledger against the service, key by key: both counted the same requests, and no key
 * exceeded its rate.
 */
import type { JsonObject } from "../../../src/model/json.ts";
import type { Evidence } from "./evidence.ts";
import { cuts } from "./lives.ts";

/** The most requests that may be about to be sent at one moment. */
const MAX_AT_ONCE = 20;

export function checkLedger(evidence: Evidence): readonly string[] {
  const { left, sent, scenario } = evidence.played;
  const ends =
    cuts(evidence.played).length + scenario.steps.filter((step) => step.do === "cut off").length;
  const objections: string[] = [];
  const compare = (what: string, entered: number, asked: number) => {
    // An attempt that was cut between its ledger entry and its sending is only in the ledger.
    if (entered < asked || entered > asked + ends * MAX_AT_ONCE)
      objections.push(
        `the ledger counts ${entered} requests${what}, ${asked} were sent, with ${ends} cuts`,
      );
  };
  const entered = sumOf(left.ledger.values());
  compare("", entered, sumOf(sent.values()));
  const names = namesOf(evidence);
  for (const [key, name] of names)
    compare(` of ${name}`, left.ledger.get(name) ?? 0, sent.get(key) ?? 0);
  if (left.hours !== entered || left.lines !== entered)
    objections.push(
      `the ledger counts ${entered} requests, its hours ${left.hours}, its lines ${left.lines}`,
    );
  return [...objections, ...checkRate(evidence)];
}

const sumOf = (numbers: Iterable<number>): number =>
  [...numbers].reduce((sum, one) => sum + one, 0);

/** Returns the keys that had one name all the time. */
function namesOf({ played }: Evidence): ReadonlyMap<string, string> {
  const keys = (played.scenario.config["api"] as JsonObject)["keys"] as
    | readonly (string | JsonObject)[]
    | undefined;
  return new Map(
    (keys ?? []).flatMap((one) => {
      if (typeof one === "string" || one["name"] === undefined) return [];
      const file = (one["key_file"] as string | undefined)?.replace("/etc/chirpwatch/", "");
      return [
        [
          file === undefined ? (one["key"] as string) : (played.scenario.files[file] ?? ""),
          one["name"] as string,
        ] as const,
      ];
    }),
  );
}

const DEFAULT_RATE = 20;

/**
 * Checks that whenever a request arrived, no more requests than the rate allows had arrived in the
 * interval before it.
 */
function checkRate({ played, isClockSet }: Evidence): readonly string[] {
  if (isClockSet) return [];
  const rate = (played.scenario.config["api"] as JsonObject)["rate_limit"] as
    | JsonObject
    | undefined;
  const count = Number(rate?.["count"] ?? DEFAULT_RATE);
  const intervalMs =
    Number.parseInt((rate?.["interval"] as string | undefined) ?? "1s", 10) * 1_000;
  const byKey = new Map<string, number[]>();
  for (const { key, atMs, isBilled } of played.asked) {
    if (!isBilled) continue;
    const times = byKey.get(key) ?? [];
    byKey.set(key, times);
    times.push(atMs);
    const before = times[times.length - 1 - count];
    if (before !== undefined && atMs - before < intervalMs)
      return [`${count + 1} requests of ${key} arrived within ${atMs - before} ms`];
  }
  return [];
}
