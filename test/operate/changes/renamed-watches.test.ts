import { expect, it } from "vitest";
import { registrationOf } from "../../../src/operate/changes/registration-of.ts";
import { renamedWatches } from "../../../src/operate/changes/renamed-watches.ts";
import { formatIssue } from "../../../src/config/report.ts";
import type { WatchState } from "../../../src/model/watch-store.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { CONFIG_PATH, goodConfig } from "../../config/load-text.ts";

const configOf = (watches: string) =>
  goodConfig(
    `watches:\n${watches}\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n`,
  );

/** Returns the issues of a file after a daemon has run with another one. */
async function said(before: string, after: string): Promise<readonly string[]> {
  const states = (await configOf(before)).watches.map(
    (watch) => registrationOf(sha256, watch) as unknown as WatchState,
  );
  return renamedWatches(await configOf(after), states, sha256).map(formatIssue);
}

const BRAND = "  brand: { type: timeline, accounts: [acme, rival] }";

it("a watch with the type and a target of a removed watch is taken to be renamed", async () => {
  expect(await said(BRAND, "  brands: { type: timeline, accounts: [rival, third] }")).toEqual([
    `${CONFIG_PATH}:2:3  warning: \`brands\` looks like the watch \`brand\` that the state knows: write \`moved_from: brand\` if it was only renamed; otherwise it starts with a new baseline`,
  ]);
});

it.each([
  ["one that says so", "  brands: { type: timeline, accounts: [acme], moved_from: brand }"],
  ["one beside the former", `${BRAND}\n  brands: { type: timeline, accounts: [acme] }`],
  ["one of other accounts", "  brands: { type: timeline, accounts: [third] }"],
  ["one of another type", "  brands: { type: profile, accounts: [acme] }"],
  ["the same", BRAND],
])("nothing is said of %s", async (_name, after) => {
  expect(await said(BRAND, after)).toEqual([]);
});

it.each([
  ["one that was beside the former already", "  beside: { type: timeline, accounts: [acme] }"],
  [
    "one that goes on from a third",
    "  brands: { type: timeline, accounts: [acme], moved_from: beside }",
  ],
])("nothing is said of %s, when the former is removed", async (_name, after) => {
  expect(await said(`${BRAND}\n  beside: { type: timeline, accounts: [acme] }`, after)).toEqual([]);
});
