#!/usr/bin/env node
/** Process entry: arguments in, exit code out. */
import * as nodeModule from "node:module";

// Node 22 and later keep compiled code between starts; a folder that cannot be written is none of our business.
(nodeModule as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.();
const { runCli } = await import("./cli/program.ts");

process.exitCode = await runCli(process.argv);
