/**
 * Registers the commands, which have a file each, and decides what a failed command prints and
 * which exit code it returns.
 */
import { Command, CommanderError } from "commander";
import { ChirpwatchError, errorText } from "../model/errors.ts";
import { EXIT, type ExitCode, ExitError } from "../model/exit-code.ts";
import { type CliContext, createContext } from "./terminal/context.ts";
import { ownValue } from "../model/own-value.ts";
import { incompleteText } from "../runtime/incomplete-package.ts";

type AddCommand = (program: Command, context: CliContext) => void;

/**
 * The commands by name. Only the requested one is loaded, because loading all of them would double
 * the time of a start.
 */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  run: async () => (await import("./start/run.ts")).addRun,
  demo: async () => (await import("./demo/demo.ts")).addDemo,
  init: async () => (await import("./start/init.ts")).addInit,
  validate: async () => (await import("./planning/validate.ts")).addValidate,
  reload: async () => (await import("./control/reload.ts")).addReload,
  pause: async () => (await import("./control/pause.ts")).addPause,
  resume: async () => (await import("./control/pause.ts")).addResume,
  health: async () => (await import("./inspect/health.ts")).addHealth,
  sandbox: async () => (await import("./start/sandbox.ts")).addSandbox,
  plan: async () => (await import("./planning/plan.ts")).addPlan,
  backtest: async () => (await import("./planning/backtest.ts")).addBacktest,
  test: async () => (await import("./planning/test.ts")).addTest,
  call: async () => (await import("./call/call.ts")).addCall,
  budget: async () => (await import("./planning/budget.ts")).addBudget,
  status: async () => (await import("./inspect/status.ts")).addStatus,
  events: async () => (await import("./inspect/events.ts")).addEvents,
  report: async () => (await import("./inspect/report.ts")).addReport,
  tail: async () => (await import("./inspect/tail.ts")).addTail,
  ack: async () => (await import("./control/act-on-alert.ts")).addAck,
  "not-relevant": async () => (await import("./control/act-on-alert.ts")).addNotRelevant,
  snooze: async () => (await import("./control/act-on-alert.ts")).addSnooze,
  dead: async () => (await import("./control/dead.ts")).addDead,
  replay: async () => (await import("./control/replay.ts")).addReplay,
  backfill: async () => (await import("./control/backfill.ts")).addBackfillCommand,
  silence: async () => (await import("./control/silence.ts")).addSilenceCommand,
  render: async () => (await import("./inspect/render.ts")).addRender,
  route: async () => (await import("./inspect/route.ts")).addRoute,
  explain: async () => (await import("./inspect/explain.ts")).addExplain,
  config: async () => (await import("./control/config.ts")).addConfig,
  state: async () => (await import("./control/state.ts")).addState,
  mcp: async () => (await import("./mcp/mcp.ts")).addMcp,
};

/**
 * Runs a command and resolves to its exit code; never rejects. Commands throw ExitError for every
 * exit code other than 0, even if it does not mean a failure.
 */
export async function runCli(argv: readonly string[], given?: CliContext): Promise<ExitCode> {
  let context = given;
  try {
    context ??= createContext();
    return await runCommands(argv, context);
  } catch (error) {
    return sayFailure((text) => void process.stderr.write(`${text}\n`), error);
  } finally {
    context?.leave();
  }
}

async function runCommands(argv: readonly string[], context: CliContext): Promise<ExitCode> {
  const program = new Command("chirpwatch")
    .description(
      "Alerts people to what is new on a social platform: once, soon, and for the fewest paid requests.",
    )
    .version(context.version)
    .showHelpAfterError("(--help lists what you can write)")
    .addHelpText("after", "\nExample:\n  chirpwatch demo")
    .configureOutput({
      writeOut: (text) => context.out(withoutLastBreak(text)),
      writeErr: (text) => context.err(withoutLastBreak(text)),
    })
    .exitOverride();
  for (const load of wantedCommands(argv[2])) (await load())(program, context);
  try {
    await program.parseAsync(withIdsLast(argv));
    return EXIT.good;
  } catch (error) {
    return sayFailure((text) => context.err(text), error);
  }
}

/**
 * Moves ids of events behind `--`, because one in 64 begins with a dash and would be read as an
 * option.
 */
function withIdsLast(argv: readonly string[]): string[] {
  if (!TAKE_IDS.has(argv[2] ?? "") || argv.includes("--")) return [...argv];
  const ids = argv.filter((text) => DASHED_ID.test(text));
  return [
    ...argv.filter((text) => !ids.includes(text)),
    ...(ids.length === 0 ? [] : ["--", ...ids]),
  ];
}

const TAKE_IDS: ReadonlySet<string> = new Set([
  ...["explain", "render", "ack", "not-relevant", "snooze", "silence"],
]);
const DASHED_ID = /^-[\w-]{21}$/;

/** Removes the last line break, because the context ends lines itself. */
const withoutLastBreak = (text: string): string => text.replace(/\n$/, "");

/**
 * Returns the loader of the requested command. For the help and for an unknown name it returns all
 * loaders.
 */
function wantedCommands(name: string | undefined): readonly (() => Promise<AddCommand>)[] {
  const wanted = name === undefined ? undefined : ownValue(COMMANDS, name);
  return wanted === undefined ? Object.values(COMMANDS) : [wanted];
}

function sayFailure(say: (text: string) => void, error: unknown): ExitCode {
  // commander has already printed its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.good : EXIT.usage;
  if (error instanceof ChirpwatchError) {
    say(error.hint === "" ? error.message : `${error.message}\n${error.hint}`);
    return error instanceof ExitError ? error.exitCode : EXIT.failed;
  }
  const incomplete = incompleteText(error);
  if (incomplete !== undefined) {
    say(incomplete);
    return EXIT.internal;
  }
  say(`internal error: ${errorText(error)}\n${error instanceof Error ? (error.stack ?? "") : ""}`);
  return EXIT.internal;
}
