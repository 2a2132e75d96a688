/**
 * Warns of values of a watch that are valid but probably a mistake: an id where a handle is
 * expected, a query that means something else. The schema of a key shows whether it holds accounts,
 * a strategy or a query, so this works for every watch type.
 */
import type { z } from "zod";
import { queryDoubts } from "../../query/doubts.ts";
import { QueryError } from "../../query/query-error.ts";
import { accountSchema, accountsSchema } from "../../watches/accounts-schema.ts";
import { placingShape } from "../../watches/placing-schema.ts";
import { querySchema } from "../../watches/query-schema.ts";
import type { WatchType } from "../../watches/watch-type.ts";
import type { Report } from "../report.ts";
import { childOf, type MapNode, type Node, offsetInto, type ScalarNode } from "../tree.ts";

/**
 * Warns of doubtful values. `map` is the watch with its defaults and with the lines of its account
 * files.
 */
export function warnOfWatchDoubts(map: MapNode, type: WatchType<any>, report: Report): void {
  const nodesOf = (...wanted: readonly z.ZodType[]) =>
    keysWith(type.schema().shape, wanted).map((key) => childOf(map, key));
  const accounts = [
    ...nodesOf(accountSchema, accountsSchema),
    childOf(childOf(map, "ignore"), "authors"),
  ];
  for (const scalar of accounts.flatMap(scalarsOf)) warnOfDigits(scalar, report);
  for (const scalar of nodesOf(placingShape.strategy).flatMap(scalarsOf))
    warnOfMerge(scalar, report);
  for (const scalar of nodesOf(querySchema).flatMap(scalarsOf)) warnOfQuery(scalar, report);
}

/** Returns the keys whose schema is one of these, optional or not. */
const keysWith = (
  shape: Readonly<Record<string, z.ZodType>>,
  wanted: readonly z.ZodType[],
): readonly string[] =>
  Object.keys(shape).filter((key) => wanted.some((one) => isSame(shape[key], one)));

function isSame(schema: z.ZodType | undefined, wanted: z.ZodType): boolean {
  if (schema === undefined || schema === wanted) return schema === wanted;
  return (
    "unwrap" in schema &&
    typeof schema.unwrap === "function" &&
    isSame(schema.unwrap() as z.ZodType, wanted)
  );
}

function scalarsOf(node: Node | undefined): readonly ScalarNode[] {
  if (node?.kind === "list") return node.items.flatMap(scalarsOf);
  return node?.kind === "scalar" && node.unresolved !== true ? [node] : [];
}

function warnOfDigits({ source, place }: ScalarNode, report: Report): void {
  const text = source.trim();
  if (!/^\d+$/.test(text)) return;
  report.warn(
    place,
    "digit-account",
    `${text} is read as a handle: write "id:${text}" if it is the id of an account`,
  );
}

function warnOfMerge({ value, place }: ScalarNode, report: Report): void {
  if (value === "merge")
    report.warn(
      place,
      "no-effect",
      "`strategy: merge` of accounts is taken as `auto`, which probes them: remove it",
    );
}

function warnOfQuery({ value, place }: ScalarNode, report: Report): void {
  if (typeof value !== "string") return;
  try {
    for (const { offset, message } of queryDoubts(value))
      report.warn(offsetInto(place, value, offset), "query", `\`query\`: ${message}`);
  } catch (error) {
    // The schema has already refused a query with an error and reported it.
    if (!(error instanceof QueryError)) throw error;
  }
}
