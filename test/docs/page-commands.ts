/** Renders docs/commands.md: every command as the program itself knows it, and the exit codes. */
import type { Command, Option } from "commander";
import { EXIT } from "../../src/model/exit-code.ts";
import { code, fenced, GENERATED, page, sentence, table } from "./markdown.ts";
import { commandsIn, readProgram, textAfterHelp } from "./program.ts";

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  good: "Success.",
  failed: "The command ran and failed: a check failed, a sink refused, the daemon does not answer.",
  usage: "The command line is wrong.",
  overBudget: "The plan costs more than the quota allows.",
  internal: "A fault of chirpwatch itself, or of its installation.",
  cannotCreate: "A file or folder could not be created, or an address could not be listened on.",
  storage: "The state could not be read or written.",
  alreadyRunning: "Another chirpwatch runs on this state file.",
  badConfig: "The configuration has errors, or it was refused for what it would do.",
};

const upperFirst = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Options that most commands have, described once. Each command says which of them it has. */
const SHARED: readonly (readonly [short: string, row: readonly string[]])[] = [
  ["-c", [code("-c, --config <file>"), code("watches.yaml"), "Configuration file or folder."]],
  ["--json", [code("--json"), "", "Print JSON."]],
];

const rowOf = (option: Option): readonly string[] => [
  code(option.flags),
  shown(option),
  sentence(upperFirst(option.description)),
];
const nameOfShared = (option: Option): string | undefined =>
  SHARED.find(([, row]) => row.join() === rowOf(option).join())?.[0];

function optionTable(command: Command): string {
  const options = command.options.filter(
    (option) => !option.hidden && nameOfShared(option) === undefined,
  );
  if (options.length === 0) return "";
  return table(["Option", "Default", "Meaning"], options.map(rowOf));
}

function sharedOptions(command: Command): string {
  const names = command.options.flatMap((option) => nameOfShared(option) ?? []);
  return names.length === 0 ? "" : `Takes ${names.map(code).join(" and ")}.`;
}

function shown({
  defaultValue,
  defaultValueDescription,
}: {
  readonly defaultValue?: unknown;
  readonly defaultValueDescription?: string | undefined;
}): string {
  if (defaultValueDescription !== undefined) return defaultValueDescription;
  if (defaultValue === undefined || defaultValue === false) return "";
  if (
    typeof defaultValue === "object" &&
    defaultValue !== null &&
    "host" in defaultValue &&
    "port" in defaultValue
  )
    return code(`${String(defaultValue.host)}:${String(defaultValue.port)}`);
  return code(typeof defaultValue === "string" ? defaultValue : JSON.stringify(defaultValue));
}

function argumentList(command: Command): string {
  return command.registeredArguments
    .filter(({ description }) => description !== "")
    .map((argument) => `- \`${argument.name()}\`: ${sentence(argument.description)}`)
    .join("\n");
}

/** Splits the help text. Remarks stand above the example. */
function splitHelp(text: string): { readonly remarks: string; readonly example: string } {
  const [remarks = "", example = ""] = text.split(/^Examples?:[ \t]*\n/m);
  return { remarks: remarks.trim(), example: example.replace(/^ {2}/gm, "").trimEnd() };
}

function section({
  name,
  command,
}: {
  readonly name: string;
  readonly command: Command;
}): readonly string[] {
  const { remarks, example } = splitHelp(textAfterHelp(command));
  return [
    `## ${name}`,
    sentence(upperFirst(command.description())),
    fenced("text", `chirpwatch ${name} ${command.usage()}`),
    argumentList(command),
    optionTable(command),
    sharedOptions(command),
    remarks,
    example === "" ? "" : `Example:\n\n${fenced("sh", example)}`,
  ];
}

export async function commandsPage(): Promise<string> {
  const all = commandsIn(await readProgram()).filter(
    ({ command }) => command.commands.length === 0,
  );
  const commands = [...all].sort((a, b) => (a.name < b.name ? -1 : 1));
  return page(
    GENERATED,
    "# Commands",
    "From a checkout, `node dist/main.js` stands for `chirpwatch`. Every command has `--help`. Results go to standard output; logs and errors go to standard error. `NO_COLOR` is honoured. `chirpwatch --help` lists the commands with their purposes.",
    commands.map(({ name }) => `[${name}](#${name.replaceAll(" ", "-")})`).join(", "),
    "Most commands take one of these options or both:",
    table(
      ["Option", "Default", "Meaning"],
      SHARED.map(([, row]) => row),
    ),
    ...commands.map(section),
    "## Exit codes",
    table(
      ["Code", "Meaning"],
      (Object.keys(EXIT) as (keyof typeof EXIT)[]).map((name) => [
        String(EXIT[name]),
        EXIT_MEANINGS[name],
      ]),
    ),
  );
}
