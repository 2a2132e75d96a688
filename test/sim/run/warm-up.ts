/**
 * Loads modules that the daemon would load on first use. Loading is real input, during which no
 * simulated time may pass. The modules are found by reading the sources for `import(`, so that a
 * new one is not forgotten.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const SOURCES = join(import.meta.dirname, "../../../src");

export async function warmUp(): Promise<void> {
  for (const path of readdirSync(SOURCES, { recursive: true, encoding: "utf8" })) {
    if (!/\.[jt]s$/.test(path) || path.startsWith("cli") || path.startsWith("main.")) continue;
    const file = join(SOURCES, path);
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/\bimport\("([^"]+)"\)/g))
      await import(name.startsWith(".") ? pathToFileURL(join(dirname(file), name)).href : name);
  }
}
