/** The commands, and what a failure of one says and returns. One file per command; this one only gathers them. */
import { Command, CommanderError } from "commander";
import { ChirpwatchError, errorText } from "../model/errors.ts";
import { EXIT, type ExitCode, ExitError } from "../model/exit-code.ts";
import { type CliContext, createContext } from "./context.ts";
import { addRun } from "./run.ts";
import { addSandbox } from "./sandbox.ts";

/** Each adds one command. */
const COMMANDS: readonly ((program: Command, context: CliContext) => void)[] = [addRun, addSandbox];

/** Resolves to the exit code; never rejects. A command that ends well with another code than 0 throws ExitError. */
export async function runCli(argv: readonly string[]): Promise<ExitCode> {
  const context = createContext();
  const program = new Command("chirpwatch")
    .description("Tells people what is new on a social platform: once, soon, and for the fewest paid requests.")
    .version(context.version)
    .showHelpAfterError("(--help shows what there is)")
    .exitOverride();
  for (const add of COMMANDS) add(program, context);
  try {
    await program.parseAsync([...argv]);
    return EXIT.good;
  } catch (error) {
    return sayFailure(context, error);
  }
}

function sayFailure(context: CliContext, error: unknown): ExitCode {
  // commander has printed its own message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.good : EXIT.usage;
  if (error instanceof ChirpwatchError) {
    context.err(error.hint === "" ? error.message : `${error.message}\n${error.hint}`);
    return error instanceof ExitError ? error.exitCode : EXIT.failed;
  }
  context.err(`internal error: ${errorText(error)}\n${error instanceof Error ? (error.stack ?? "") : ""}`);
  return EXIT.internal;
}
