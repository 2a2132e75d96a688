#!/usr/bin/env node
/** Process entry: arguments in, exit code out. */
import { runCli } from "./cli/program.ts";

process.exitCode = await runCli(process.argv);
