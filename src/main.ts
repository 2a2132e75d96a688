#!/usr/bin/env node
/** Process entry: arguments in, exit code out. */
import { sep } from "node:path";
import { useCompileCache } from "./runtime/compile-cache.ts";

// The system gives a container's process 1 no default handling of signals: a stop while the modules
// load would be lost.
if (process.pid === 1) {
  for (const [name, number] of [
    ["SIGINT", 2],
    ["SIGTERM", 15],
  ] as const)
    process.on(name, () => {
      const isUnheard = process.listenerCount(name) === 1;
      if (isUnheard) process.exit(128 + number);
    });
}
const chunks = `${import.meta.dirname}${sep}chunks${sep}`;
useCompileCache(process.argv[2] ?? "", (path) => path.startsWith(chunks));
void start();

async function start(): Promise<void> {
  try {
    const { runCli } = await import("./cli/program.ts");
    process.exitCode = await runCli(process.argv);
  } catch (error) {
    // Whatever else fails is caught there: these files are the package's own.
    if ((error as { code?: unknown }).code !== "MODULE_NOT_FOUND") throw error;
    process.stderr.write(
      "chirpwatch is incomplete: files of its package are missing.\nInstall it again, and compare what you install with its SHA256SUMS.\n",
    );
    process.exitCode = 70;
  }
}
