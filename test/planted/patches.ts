/**
 * Reads the bugs to plant: one patch file each. The first lines of a patch say what the bug is, why
 * it gets past tests, and which tests could see it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PATCHES = join("test", "planted");

/** Why bugs of each kind get past tests. `listed`: the bug is in the list of faults to survive. */
const SHAPES = [
  "second time",
  "two options",
  "fixture",
  "reload",
  "simple case",
  "listed",
] as const;

export interface Patch {
  readonly name: string;
  readonly path: string;
  /** What is wrong, in one sentence. */
  readonly bug: string;
  readonly shape: string;
  /** Test files or folders that could see the bug, the likeliest first. */
  readonly tests: readonly string[];
  /** A scenario of the simulation that sees the bug, instead of tests. */
  readonly scenario: string | undefined;
}

/** Reads all patches, sorted by name. @throws Error for a patch without its header. */
export function readPatches(root: string): readonly Patch[] {
  const files = readdirSync(join(root, PATCHES)).filter((file) => file.endsWith(".patch"));
  return files.sort().map((file) => {
    const path = join(PATCHES, file);
    const [header = "", diff] = readFileSync(join(root, path), "utf8").split(/^(?=--- a\/)/m);
    const field = (name: string): string =>
      new RegExp(`^${name}: (.+)$`, "m").exec(header)?.[1] ?? "";
    const [tests, [scenario]] = [words(field("tests")), words(field("scenario"))];
    const patch = {
      name: file.replace(/\.patch$/, ""),
      path,
      bug: field("bug"),
      shape: field("shape"),
      tests,
      scenario,
    };
    const isSeen = tests.length > 0 || scenario !== undefined;
    const isWhole =
      patch.bug !== "" &&
      SHAPES.some((shape) => shape === patch.shape) &&
      isSeen &&
      diff !== undefined;
    if (!isWhole)
      throw new Error(
        `${path} needs the lines "bug: ", "shape: " (${SHAPES.join(", ")}) and "tests: " or "scenario: ", and a diff`,
      );
    return patch;
  });
}

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== "");
