/**
 * `chirpwatch init`: writes a first configuration. It never overwrites a file, and sends a sample
 * message only if the user asks for it.
 */
import { dirname, join, resolve } from "node:path";
import { Argument, type Command } from "commander";
import type { Config } from "../../config/config.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { packageFile } from "../../runtime/package-file.ts";
import { confirm } from "../terminal/confirm.ts";
import type { CliContext } from "../terminal/context.ts";
import { openPrompt } from "../terminal/prompt.ts";
import {
  askStarter,
  bareHandle,
  type StarterChoice,
  wrongChannel,
  wrongHandle,
} from "./ask-starter.ts";
import { checkStarter, costText } from "./check-starter.ts";
import { COMPOSE_TEXT, DOCKER_FOLDER, IMAGE_VARIABLE } from "./init-docker.ts";
import {
  SINK_KINDS,
  type StarterAnswers,
  starterFiles,
  type StarterKind,
  starterSink,
  starterVariables,
} from "./init-files.ts";
import { type NewFile, writeNewFiles } from "./new-files.ts";

interface InitFlags {
  readonly config?: string;
  readonly search?: string;
  readonly account?: readonly string[];
  readonly channel?: string;
  readonly sendSample?: true;
}

type Target = (typeof SINK_KINDS)[number] | "docker";

const SCHEMA = packageFile("config/watches.schema.json");
const SCHEMA_NAME = "watches.schema.json";
const ENV_NAME = ".env.example";

export function addInit(program: Command, context: CliContext): void {
  program
    .command("init")
    .description(
      "write the smallest useful watches.yaml, with .env.example and the JSON Schema beside it; at a terminal it asks what to write",
    )
    .addArgument(
      new Argument("[target]", "where alerts go, or docker: a folder for Docker Compose").choices([
        ...SINK_KINDS,
        "docker",
      ]),
    )
    .option("--search <query>", "what to search for")
    .option(
      "--account <handle>",
      "an account whose posts raise alerts; may be given several times",
      collect,
    )
    .option("--channel <channel>", "the Slack channel, by name with # or by id")
    .option("-c, --config <file>", "the file to write (default: watches.yaml)")
    .option(
      "--send-sample",
      "then send one labelled sample message to the sink, with the token from the environment or .env",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch init\n  chirpwatch init slack --search 'acme' --channel '#brand'\n  chirpwatch init discord --account alice --account bob\n  chirpwatch init docker",
    )
    .action((target: Target | undefined, flags: InitFlags) =>
      init(context, target, flags).finally(() => context.http.close()),
    );
}

async function init(
  context: CliContext,
  target: Target | undefined,
  flags: InitFlags,
): Promise<void> {
  if (target === "docker") return initDocker(context, flags);
  const { kind, answers } =
    target === undefined
      ? await ask(context, flags)
      : { kind: target, answers: answersOf(target, flags) };
  const path = flags.config ?? "watches.yaml";
  const folder = dirname(resolve(path));
  const files = starterFiles(kind, answers, `./${SCHEMA_NAME}`);
  const config = await checked(files);
  await writeNewFiles(context.files, [
    { path: resolve(path), text: files.config },
    { path: join(folder, SCHEMA_NAME), text: await context.files.readText(SCHEMA) },
    { path: join(folder, ENV_NAME), text: files.env },
  ]);
  const option = path === "watches.yaml" ? "" : ` -c ${path}`;
  const sink = starterSink(kind);
  context.out(
    nextText(writtenText([path, SCHEMA_NAME, ENV_NAME], costText(config, context.clock.now())), [
      `cp ${join(dirname(path), ENV_NAME)} ${join(dirname(path), ".env")}    # and fill it in`,
      `chirpwatch validate${option}`,
      `chirpwatch test --sink ${sink}${option}    # one sample message`,
      `chirpwatch run${option}`,
    ]),
  );
  if (flags.sendSample === true || (target === undefined && (await wantsSample(context, kind))))
    await sendSample(context, path, sink);
}

async function initDocker(context: CliContext, flags: InitFlags): Promise<void> {
  if (flags.config !== undefined)
    throw usage(
      "`init docker` has no --config: it writes into the current folder, so change to the right one first",
    );
  if (flags.sendSample === true)
    throw usage(
      "`init docker` has no --send-sample: `docker compose run --rm chirpwatch test --sink NAME` sends one from the container",
    );
  const kind = flags.channel === undefined ? "terminal" : "slack";
  const files = starterFiles(kind, answersOf(kind, flags), `./${SCHEMA_NAME}`);
  const config = await checked(files);
  const written: readonly NewFile[] = [
    { path: resolve("compose.yaml"), text: COMPOSE_TEXT },
    { path: resolve(DOCKER_FOLDER, "watches.yaml"), text: files.config },
    { path: resolve(DOCKER_FOLDER, SCHEMA_NAME), text: await context.files.readText(SCHEMA) },
    { path: resolve(ENV_NAME), text: `${files.env}${IMAGE_VARIABLE}` },
  ];
  await writeNewFiles(context.files, written, resolve(DOCKER_FOLDER));
  const names = [
    "compose.yaml",
    `${DOCKER_FOLDER}/watches.yaml`,
    `${DOCKER_FOLDER}/${SCHEMA_NAME}`,
    ENV_NAME,
  ];
  context.out(
    nextText(writtenText(names, costText(config, context.clock.now())), [
      `cp ${ENV_NAME} .env    # and fill it in`,
      "docker compose run --rm chirpwatch validate",
      "docker compose up -d",
    ]),
  );
}

const collect = (one: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  one,
];

/**
 * Returns the answers that the flags give. @throws ExitError with exit code 2 if one of them cannot
 * be used
 */
function answersOf(
  kind: StarterKind,
  { search, account = [], channel }: InitFlags,
): StarterAnswers {
  if (channel !== undefined && kind !== "slack")
    throw usage(`--channel is for Slack: \`init ${kind}\` has none`);
  const wrong = [
    ...account.map(wrongHandle),
    channel === undefined ? undefined : wrongChannel(channel),
  ].find((one) => one !== undefined);
  if (wrong !== undefined) throw usage(wrong);
  if (search?.trim() === "")
    throw usage("--search is empty: write what to search for, such as --search acme");
  return {
    accounts: account.map(bareHandle),
    search,
    channel,
  };
}

/**
 * Asks for the answers at the terminal. @throws ExitError with exit code 2 if there is no terminal,
 * or some flags were given without a target
 */
async function ask(
  context: CliContext,
  { search, account = [], channel }: InitFlags,
): Promise<StarterChoice> {
  const prompt =
    search === undefined && channel === undefined && account.length === 0
      ? openPrompt()
      : undefined;
  if (prompt === undefined)
    throw usage(
      `name where alerts go, one of ${SINK_KINDS.join(", ")}: \`chirpwatch init slack --search acme --channel '#brand'\`. Without arguments, init asks, but only at a terminal`,
    );
  try {
    return await askStarter({
      prompt,
      say: context.err,
      async check({ kind, answers }) {
        const outcome = await checkStarter(starterFiles(kind, answers, ""));
        return outcome.ok ? undefined : outcome.message;
      },
    });
  } finally {
    prompt.close();
  }
}

/**
 * Checks the configuration before anything is written. @throws ExitError with exit code 2 if the
 * answers make it invalid
 */
async function checked(files: Parameters<typeof checkStarter>[0]): Promise<Config> {
  const outcome = await checkStarter(files);
  if (outcome.ok) return outcome.config;
  throw usage(`${outcome.message}; nothing was written`);
}

const wantsSample = async ({ env }: CliContext, kind: StarterKind): Promise<boolean> =>
  starterVariables(kind).every((name) => (env[name] ?? "") !== "") &&
  (await confirm(`Send one sample message to ${starterSink(kind)} now?`)) === true;

async function sendSample(context: CliContext, config: string, sink: string): Promise<void> {
  const { sendSampleTo } = await import("../planning/test.ts");
  try {
    await sendSampleTo(context, config, sink);
  } catch (cause) {
    if (!(cause instanceof ExitError) || cause.exitCode !== EXIT.badConfig) throw cause;
    throw new ExitError(
      EXIT.badConfig,
      "INIT_NO_SAMPLE",
      `the files were written, but no sample was sent: ${cause.message}`,
      {
        hint: `fill in .env, then send it: chirpwatch test --sink ${sink}`,
        cause,
      },
    );
  }
}

const usage = (message: string): ExitError => new ExitError(EXIT.usage, "USAGE", message);

const writtenText = (paths: readonly string[], cost: string): string =>
  `${paths.slice(0, -1).join(", ")} and ${paths.at(-1)} were written. The watches will cost ${cost}. Next:`;

const nextText = (written: string, commands: readonly string[]): string =>
  [written, "", ...commands.map((command) => `  ${command}`)].join("\n");
