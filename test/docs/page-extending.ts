/**
 * docs/extending.md is written by hand; its two whole files are one of the project and an example
 * that the tests type-check and run.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** An example as it would stand in its room, two folders nearer to what it imports. */
function asInRoom(root: string, path: string): string {
  const text = readFileSync(join(root, path), "utf8");
  if (path.startsWith("src/")) return text;
  const room = text.includes("WatchType") ? "watches" : "sinks";
  return text.replaceAll(`../../../src/${room}/`, "./").replaceAll("../../../src/", "../");
}

/** The page with every block that names a file filled with that file. */
export const extendingPage = (root: string): string =>
  readFileSync(join(root, "docs/extending.md"), "utf8").replace(
    /^(```ts ((?:test\/docs\/examples|src\/watches)\/[\w-]+\.ts)\n)[\s\S]*?(?=^```$)/gm,
    (_, fence: string, path: string) => `${fence}${asInRoom(root, path)}`,
  );
