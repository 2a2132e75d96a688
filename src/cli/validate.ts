/** `chirpwatch validate`: everything that is wrong or doubtful about a configuration, at once. */
import type { Command } from "commander";
import type { Config, ConfigIssue } from "../config/config.ts";
import { formatIssue } from "../config/report.ts";
import { EXIT, ExitError } from "../model/exit-code.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION, loadGuarded } from "./context.ts";
import { plural } from "./table.ts";

interface ValidateFlags {
  readonly config: string;
  readonly json?: boolean;
}

export function addValidate(program: Command, context: CliContext): void {
  program
    .command("validate")
    .description("check a configuration: every error and warning with its line")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch validate -c watches.yaml")
    .action((flags: ValidateFlags) => validate(context, flags));
}

async function validate(context: CliContext, { config: path, json }: ValidateFlags): Promise<void> {
  const loaded = await loadGuarded(context, path);
  const issues = loaded.ok ? loaded.config.warnings : loaded.issues;
  if (json === true) context.out(JSON.stringify(report(issues, loaded.ok ? loaded.config : undefined), null, 2));
  else {
    for (const issue of issues) (loaded.ok ? context.out : context.err)(formatIssue(issue));
    if (loaded.ok) context.out(successText(path, loaded.config));
  }
  if (loaded.ok) return;
  const errors = issues.filter(({ severity }) => severity === "error").length;
  throw new ExitError(EXIT.badConfig, "CONFIG_INVALID", `${path}: ${plural(errors, "error")}`);
}

function successText(path: string, { watches, sinks, warnings }: Config): string {
  const watchNames = watches.map(({ id, enabled }) => (enabled ? id : `${id} (disabled)`));
  const doubts = warnings.length === 0 ? "" : `, ${plural(warnings.length, "warning")}`;
  return `${path} is good: watches ${list(watchNames)}; sinks ${list(sinks.map(({ name, type }) => `${name} (${type})`))}${doubts}`;
}

/** A file with a thousand watches is not read aloud. */
const MOST_NAMES = 12;

const list = (names: readonly string[]): string =>
  names.length <= MOST_NAMES ? names.join(", ") : `${names.slice(0, MOST_NAMES).join(", ")} and ${names.length - MOST_NAMES} more`;

function report(issues: readonly ConfigIssue[], config: Config | undefined): object {
  return {
    ok: config !== undefined,
    issues,
    watches: config?.watches.map(({ id, type, enabled }) => ({ id, type, enabled })) ?? [],
    sinks: config?.sinks.map(({ name, type }) => ({ name, type })) ?? [],
  };
}
