/**
 * Tests that every fault has a test against the whole daemon, a whole command or a whole server,
 * whose name begins with the fault's number.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { FAULTS } from "./faults.ts";

const root = resolve(import.meta.dirname, "..");

/**
 * The folders whose tests run what a user runs. A test of a single part does not count here, even
 * if it names the fault.
 */
const WHOLE = [
  "app",
  "cli",
  "config",
  "e2e",
  "faults",
  "long",
  "operate",
  "runtime",
  "server",
  "state",
];

/** Faults without a test of their own, each with its reason. */
const WITHOUT: Readonly<Record<number, string>> = {
  46: "nothing here connects to Discord's gateway: posts and edits go by its REST API alone",
};

/** Returns the numbers in names such as `fault 53, fault 54: stay within every limit`. */
function numbersIn(text: string): readonly number[] {
  const names = text.matchAll(/["'`](fault \d+(?:, fault \d+)*): /g);
  return [...names].flatMap(([, name = ""]) => [...name.matchAll(/\d+/g)].map(Number));
}

it("has a test for every fault, or a reason why not", () => {
  const files = WHOLE.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: "utf8" }).map((file) =>
      join(room, file),
    ),
  );
  const tests = files.filter((file) => file.endsWith(".test.ts"));
  const tested = new Set(
    tests.flatMap((file) => numbersIn(readFileSync(join(root, file), "utf8"))),
  );
  const missing = Object.keys(FAULTS).filter(
    (number) => !tested.has(Number(number)) && WITHOUT[Number(number)] === undefined,
  );
  const list = missing.map((number) => `${number} ${FAULTS[Number(number)]}`);
  console.info(`faults without a test: ${list.length === 0 ? "none" : `\n${list.join("\n")}`}`);
  for (const [number, reason] of Object.entries(WITHOUT))
    console.info(`fault ${number} has no test: ${reason}`);
  expect(list).toEqual([]);
  expect(Object.keys(WITHOUT).filter((number) => tested.has(Number(number)))).toEqual([]);
});
