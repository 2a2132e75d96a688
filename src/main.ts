#!/usr/bin/env node
/** Process entry: arguments in, exit code out. */
import * as nodeModule from "node:module";

// The system gives a container's process 1 no default handling of signals: a stop while the modules load would be lost.
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
// Node 22 and later keep compiled code between starts; a folder that cannot be written is none of our business.
(nodeModule as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.();
const { runCli } = await import("./cli/program.ts");

process.exitCode = await runCli(process.argv);
