/**
 * `chirpwatch validate`: reports everything that is wrong or doubtful about a configuration at
 * once.
 */
import type { Command } from "commander";
import { renamedWatches } from "../../operate/changes/renamed-watches.ts";
import { checkChats } from "../../chat/check-chats.ts";
import type { ChatFinding } from "../../chat/clicks/finding.ts";
import type { Config, ConfigIssue } from "../../config/config.ts";
import { formatIssue } from "../../config/report.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { sha256 } from "../../runtime/hash.ts";
import { checkLengths } from "./ask-lengths.ts";
import {
  type CliContext,
  CONFIG_OPTION,
  JSON_OPTION,
  loadGuarded,
  ONLINE_OPTION,
} from "../terminal/context.ts";
import { longListLines, onlineText } from "../terminal/long-list-text.ts";
import { hasState, readState } from "../access/read-state.ts";
import { plural } from "../terminal/table.ts";

interface ValidateFlags {
  readonly config: string;
  readonly online?: boolean;
  readonly json?: boolean;
}

export function addValidate(program: Command, context: CliContext): void {
  program
    .command("validate")
    .description("check a configuration and show every error and warning with its line")
    .option(...CONFIG_OPTION)
    .option(
      ONLINE_OPTION[0],
      `${ONLINE_OPTION[1]}; also check the tokens and scopes of bots with Slack and Discord`,
    )
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch validate -c watches.yaml\n  chirpwatch validate -c watches.yaml --online",
    )
    .action((flags: ValidateFlags) => validate(context, flags).finally(() => context.http.close()));
}

async function validate(
  context: CliContext,
  { config: path, online, json }: ValidateFlags,
): Promise<void> {
  const loaded = await loadGuarded(context, path);
  const isOnline = loaded.ok && online === true;
  const chats = isOnline ? await checkChats(loaded.config, context.http) : undefined;
  const issues = loaded.ok
    ? [
        ...loaded.config.warnings,
        ...(await renamed(context, loaded.config)),
        ...(chats?.findings ?? []).map(issueOf(loaded.config)),
      ]
    : loaded.issues;
  const errors = issues.filter(({ severity }) => severity === "error").length;
  const config = loaded.ok && errors === 0 ? loaded.config : undefined;
  const lengths = isOnline ? await checkLengths(context, loaded.config) : undefined;
  if (json === true) context.out(JSON.stringify(report(issues, config, lengths), null, 2));
  else {
    for (const issue of issues) (errors === 0 ? context.out : context.err)(formatIssue(issue));
    if (config !== undefined) context.out(successText(path, config, issues.length));
    for (const note of chats?.notes ?? []) context.out(`Online: ${note}`);
    if (loaded.ok && context.proxies !== undefined)
      context.out(`requests go through a proxy: ${context.proxies}`);
    if (lengths?.online)
      for (const line of [onlineText(lengths.online), ...longListLines(lengths.watches)])
        context.out(line);
  }
  if (errors > 0)
    throw new ExitError(EXIT.badConfig, "CONFIG_INVALID", `${path}: ${plural(errors, "error")}`);
}

/** Returns a function that makes an error of what a vendor said, at the place of the sink. */
const issueOf =
  ({ sinks }: Config) =>
  ({ sink, message }: ChatFinding): ConfigIssue => {
    const place = sinks.find(({ name }) => name === sink)?.declaredAt;
    return {
      ...{ severity: "error", rule: "chat-online", message },
      ...(place ?? { file: "", line: 1, column: 1 }),
    };
  };

/**
 * Returns warnings about watches that seem to have been renamed since the state was written. There
 * are none if no state can be read, because a file must be valid without one.
 */
async function renamed(context: CliContext, config: Config): Promise<readonly ConfigIssue[]> {
  if (!(await hasState(context, config.state))) return [];
  return readState(context, config, async (store) =>
    renamedWatches(config, await store.listWatches(), sha256),
  ).catch(() => []);
}

function successText(path: string, { watches, sinks }: Config, warnings: number): string {
  const watchNames = watches.map(({ id, enabled }) => (enabled ? id : `${id} (disabled)`));
  const doubts = warnings === 0 ? "" : `, ${plural(warnings, "warning")}`;
  return `${path} is valid: watches ${list(watchNames)}; sinks ${list(sinks.map(({ name, type }) => `${name} (${type})`))}${doubts}`;
}

/** How many names are listed at most, because a file may have a thousand watches. */
const MAX_NAMES = 12;

const list = (names: readonly string[]): string =>
  names.length <= MAX_NAMES
    ? names.join(", ")
    : `${names.slice(0, MAX_NAMES).join(", ")} and ${names.length - MAX_NAMES} more`;

function report(
  issues: readonly ConfigIssue[],
  config: Config | undefined,
  lengths: Awaited<ReturnType<typeof checkLengths>> | undefined,
): object {
  return {
    ok: config !== undefined,
    issues,
    watches: config?.watches.map(({ id, type, enabled }) => ({ id, type, enabled })) ?? [],
    sinks: config?.sinks.map(({ name, type }) => ({ name, type })) ?? [],
    ...(lengths === undefined
      ? {}
      : {
          online: lengths.online,
          long_lists: lengths.watches.flatMap(({ id, long_lists: lists }) =>
            lists.map((list) => ({ watch: id, ...list })),
          ),
        }),
  };
}
