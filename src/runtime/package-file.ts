/**
 * Finds files of this package, relative to this module. Its source and the chunks of the build both
 * lie two folders below package.json, so the same path works for both.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Returns the path of a file that the package contains, such as `watches.example.yaml`. */
export function packageFile(name: string): string {
  return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as {
    version?: string;
  };
  return version ?? "0";
}
