/**
 * Builds the program from its files in src/cli: every command with its options and help, without
 * running any.
 */
import { Command } from "commander";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { createContext } from "../../src/cli/terminal/context.ts";

export const ROOT = join(import.meta.dirname, "../..");

type AddCommand = (program: Command, context: ReturnType<typeof createContext>) => void;

/** Returns the program with every command that a file of src/cli adds, sorted by name. */
export async function readProgram(): Promise<Command> {
  const folder = join(ROOT, "src/cli");
  const program = new Command("chirpwatch").option("-V, --version", "output the version number");
  const context = createContext();
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (one) => one.endsWith(".ts") && one !== "program.ts",
  );
  for (const path of paths.toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1))) {
    const module = (await import(pathToFileURL(join(folder, path)).href)) as Readonly<
      Record<string, unknown>
    >;
    for (const [exported, value] of Object.entries(module)) {
      if (/^add[A-Z]/.test(exported) && typeof value === "function")
        (value as AddCommand)(program, context);
    }
  }
  await context.http.close();
  return program;
}

/** Lists a command and all commands below it, with their full names: `state backup`. */
export function commandsIn(
  command: Command,
  prefix = "",
): readonly { readonly name: string; readonly command: Command }[] {
  return command.commands.flatMap((child) => {
    const name = `${prefix}${child.name()}`;
    return [{ name, command: child }, ...commandsIn(child, `${name} `)];
  });
}

/** Returns the text that `--help` prints below its own lists: the example. */
export function textAfterHelp(command: Command): string {
  let whole = "";
  command.configureOutput({ writeOut: (text) => (whole += text) });
  command.outputHelp();
  return whole.slice(command.helpInformation().length).trim();
}
