/**
 * Renders docs/extending.md. The page is written by hand, except for two whole files: one of the
 * project, and an example that the tests type-check and run.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns an example as it would be in its room, two folders nearer to its imports. */
function asInRoom(root: string, path: string): string {
  const text = readFileSync(join(root, path), "utf8");
  if (path.startsWith("src/")) return text;
  const room = text.includes("WatchType") ? "watches" : "sinks";
  return text.replaceAll(`../../../src/${room}/`, "./").replaceAll("../../../src/", "../");
}

/** Returns the page with every block that names a file replaced by that file. */
export const extendingPage = (root: string): string =>
  readFileSync(join(root, "docs/extending.md"), "utf8").replace(
    /^(```ts ((?:test\/docs\/examples|src\/watches)\/[\w-]+\.ts)\n)[\s\S]*?(?=^```$)/gm,
    (_, fence: string, path: string) => `${fence}${asInRoom(root, path)}`,
  );
