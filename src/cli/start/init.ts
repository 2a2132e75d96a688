/** `chirpwatch init slack|discord|webhook`: a first configuration, ready to be filled in. Never writes over anything unasked. */
import { basename, dirname, join, relative, resolve } from "node:path";
import { Argument, type Command } from "commander";
import { errorText } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { packageFile } from "../../runtime/package-file.ts";
import { writeTextFile } from "../../runtime/write-files.ts";
import type { CliContext } from "../terminal/context.ts";
import { STARTER_KINDS, type StarterKind, starterFiles } from "./init-files.ts";

interface InitFlags {
  readonly config: string;
  readonly force?: boolean;
}

const SCHEMA = packageFile("config/watches.schema.json");

export function addInit(program: Command, context: CliContext): void {
  program
    .command("init")
    .description("write the smallest useful watches.yaml, and .env.example beside it")
    .addArgument(new Argument("<sink>", "where alerts go").choices(STARTER_KINDS))
    .option("-c, --config <file>", "the file to write", "watches.yaml")
    .option("--force", "replace files that are there already")
    .addHelpText("after", "\nExample:\n  chirpwatch init slack")
    .action((kind: StarterKind, flags: InitFlags) => init(context, kind, flags));
}

async function init(context: CliContext, kind: StarterKind, { config, force }: InitFlags): Promise<void> {
  const path = resolve(config);
  const envPath = join(dirname(path), ".env.example");
  const overwrite = force === true;
  if (!overwrite) await refuseExisting(context, [path, envPath]);
  const { config: text, env } = starterFiles(kind, schemaFrom(dirname(path)));
  await write(path, text, overwrite);
  await write(envPath, env, overwrite);
  context.out(nextText(config, join(dirname(config), ".env")));
}

/** Before anything is written: half of two files is worse than none. */
async function refuseExisting({ files }: CliContext, paths: readonly string[]): Promise<void> {
  const there: string[] = [];
  for (const path of paths) if (await files.exists(path)) there.push(basename(path));
  if (there.length > 0)
    throw cannot(`${there.join(" and ")} ${there.length === 1 ? "is" : "are"} there already`, "--force replaces what is there");
}

async function write(path: string, text: string, overwrite: boolean): Promise<void> {
  try {
    await writeTextFile(path, text, { overwrite });
  } catch (error) {
    throw cannot(`cannot write ${path}: ${errorText(error)}`, "choose a folder that exists and that you may write to", error);
  }
}

const cannot = (message: string, hint: string, cause?: unknown): ExitError =>
  new ExitError(EXIT.cannotCreate, "INIT_CANNOT_WRITE", message, { hint, cause });

/** The package's own schema: by a path inside the folder where it is one, so that the file can be shared. */
function schemaFrom(folder: string): string {
  const inside = relative(folder, SCHEMA);
  return inside.startsWith("..") ? SCHEMA : `./${inside}`;
}

function nextText(config: string, env: string): string {
  const option = config === "watches.yaml" ? "" : ` -c ${config}`;
  return [
    `${config} and ${env}.example are written. Next:`,
    "",
    `  cp ${env}.example ${env}${" ".repeat(4)}# and fill it in`,
    `  chirpwatch validate${option}`,
    `  chirpwatch run${option}`,
  ].join("\n");
}
