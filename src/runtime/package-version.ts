/** The version of this package, from its own package.json two folders up from the built files. */
import { readFileSync } from "node:fs";

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version?: string };
  return version ?? "0";
}
