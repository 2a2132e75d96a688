import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPatches } from "./patches.ts";

const patches = readPatches(".");

describe("a planted bug", () => {
  it("says what it is, and names tests that exist", () => {
    for (const { name, tests, scenario = "." } of patches)
      expect([name, [...tests, scenario].filter((path) => !existsSync(path))]).toEqual([name, []]);
  });

  it("can still be planted: a patch that does not apply any more is made anew, or removed with what it was about", () => {
    const apply = ["apply", "--check", ...patches.map(({ path }) => path)];
    const failed = isApplied(apply)
      ? []
      : patches
          .filter(({ path }) => !isApplied(["apply", "--check", path]))
          .map(({ name }) => name);
    expect(failed).toEqual([]);
  });
});

function isApplied(args: readonly string[]): boolean {
  try {
    execFileSync("git", args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
