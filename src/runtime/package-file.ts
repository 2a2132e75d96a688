/**
 * Files of this package, found from this module: its source lies two folders below package.json, as
 * the built chunks do.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Path of a file that the package ships: `watches.example.yaml`. */
export function packageFile(name: string): string {
  return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as {
    version?: string;
  };
  return version ?? "0";
}
