/**
 * `chirpwatch call`: calls any endpoint of the data service from the command line. Inputs are
 * checked before anything is paid for.
 */
import type { Command } from "commander";
import type { Endpoint } from "../../api/endpoint.ts";
import { ENDPOINTS, findEndpoint } from "../../api/endpoints/index.ts";
import { didYouMean } from "../../config/suggest.ts";
import { ChirpwatchError, errorText } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { type CallArguments, inputsOf, parseCallArguments } from "./call-arguments.ts";
import { type Collected, collectPages } from "./call-pages.ts";
import { findCallTarget } from "./call-target.ts";
import { endpointCost, endpointJson, formatCollected, formatEndpoints } from "./call-text.ts";
import type { CliContext } from "../terminal/context.ts";
import { createProgress } from "../terminal/progress.ts";
import { openService, type ServiceAccess } from "../access/service-access.ts";
import { plural } from "../terminal/table.ts";

interface CallFlags {
  readonly config?: string;
  readonly all?: true;
  readonly limit?: string;
  readonly json?: true;
  readonly table?: true;
  readonly list?: true;
}

const EXAMPLES = `
Write the parameters after the name of the endpoint, as --name value. --user-id and --user_id are the same. Repeat a flag to give several values.
Without a configuration file the URL and the key come from CHIRPWATCH_API_URL and CHIRPWATCH_API_KEY.

Examples:
  chirpwatch call --list
  chirpwatch call info --username alice
  chirpwatch call info-batch --usernames alice --usernames bob --table
  chirpwatch call search-tweets --query 'acme -from:acme' --order latest --all --limit 200`;

export function addCall(program: Command, context: CliContext): void {
  // Everything after the name of the endpoint is passed through: a value such as "-from:acme" must
  // not be read as an option.
  program.enablePositionalOptions();
  const command = program
    .command("call")
    .description("call any endpoint of the data service; --list shows what each call costs")
    .argument("[endpoint]", "name of the endpoint")
    .argument("[parameters...]", "--name value")
    .option(
      "-c, --config <file>",
      "configuration file or folder (default: watches.yaml, else the environment)",
    )
    .option("--all", "read all pages; each page costs a request")
    .option("--limit <items>", "read pages until this many items have arrived")
    .option("--json", "print JSON (the default unless on a terminal)")
    .option("--table", "print a table (the default on a terminal, cut to its width)")
    .option("--list", "list all endpoints with method, cost and page size")
    .passThroughOptions()
    .addHelpText("after", EXAMPLES);
  command.action((name: string | undefined, tokens: readonly string[], flags: CallFlags) =>
    call(context, command, { name, tokens, flags }),
  );
}

/** The parts of the command line: the endpoint, what follows it, and the flags before it. */
interface WrittenCall {
  readonly name: string | undefined;
  readonly tokens: readonly string[];
  readonly flags: CallFlags;
}

async function call(
  context: CliContext,
  command: Command,
  { name, tokens, flags }: WrittenCall,
): Promise<void> {
  if (flags.list === true) return list(context, flags.json === true);
  if (name === undefined)
    throw new ExitError(
      EXIT.usage,
      "CALL_USAGE",
      "name an endpoint; chirpwatch call --list shows all",
    );
  const known = requireEndpoint(name);
  const { endpoint } = known;
  const before = flags.limit === undefined ? [] : ["--limit", flags.limit];
  const given = parseCallArguments(known.name, endpoint, [...before, ...tokens]);
  if (given.flags.has("help"))
    return context.out(
      `${command.helpInformation()}\n${known.name}: ${endpoint.doc} ${endpointCost(endpoint)}. ${inputsOf(endpoint)}`,
    );
  if (given.flags.has("list")) return list(context, given.flags.has("json"));
  const wants = (flag: "all" | "json" | "table") => flags[flag] === true || given.flags.has(flag);
  const asTable = wants("table") || (!wants("json") && process.stdout.isTTY === true);
  const log = context.logger("error");
  const target = await findCallTarget(context, given.config ?? flags.config);
  const access = await openService(context, { ...target, log });
  try {
    const found = await collect(access, known, given, wants("all") || given.limit !== undefined);
    context.out(
      asTable
        ? formatCollected(found, process.stdout.columns)
        : JSON.stringify(toJson(found, endpoint), undefined, 2),
    );
    context.err(costText(found, access.spent));
    if (found.error !== undefined) throw cutShort(found);
  } finally {
    await access.close();
    await context.http.close();
    await log.flush();
  }
}

function list(context: CliContext, asJson: boolean): void {
  const rows = Object.entries<Endpoint>(ENDPOINTS);
  context.out(
    asJson
      ? JSON.stringify(rows.map(endpointJson), undefined, 2)
      : formatEndpoints(rows, process.stdout.columns),
  );
}

interface NamedEndpoint {
  readonly name: string;
  readonly endpoint: Endpoint;
}

/** Finds the endpoint. `search_tweets` and `/search-tweets` are accepted, too. */
function requireEndpoint(written: string): NamedEndpoint {
  const name = written.replace(/^\/+/, "").replaceAll("_", "-").toLowerCase();
  const endpoint = findEndpoint(name);
  if (endpoint !== undefined) return { name, endpoint };
  const hint = "chirpwatch call --list shows all.";
  throw new ExitError(
    EXIT.usage,
    "CALL_USAGE",
    `there is no endpoint "${written}"${didYouMean(name, Object.keys(ENDPOINTS))}`,
    { hint },
  );
}

async function collect(
  access: ServiceAccess,
  { name, endpoint }: NamedEndpoint,
  given: CallArguments,
  all: boolean,
): Promise<Collected> {
  const progress = createProgress();
  try {
    return await collectPages({
      ask: (cursor) =>
        access.gate.request({
          endpoint: name,
          params: given.params,
          ...(cursor === undefined ? {} : { cursor }),
          source: `call:${name}`,
          watch: "call",
          priority: "high",
          purpose: "command",
          billed: endpoint.billed,
        }),
      cursor: given.cursor,
      all: all && endpoint.cursor !== undefined,
      limit: given.limit,
      onPage: (pages, items) =>
        all && progress.show(`${plural(pages, "page")}, ${plural(items, "item")}`),
    });
  } finally {
    progress.clear();
  }
}

/** Returns what is printed as JSON: a list with its cursor, or the object itself. */
function toJson(found: Collected, endpoint: Endpoint): unknown {
  if (found.kind !== "record")
    return {
      [found.kind]: found.items,
      ...(endpoint.cursor === undefined ? {} : { next_cursor: found.nextCursor }),
    };
  return found.items.length === 1 ? found.items[0] : found.items;
}

function costText({ nextCursor, items, cut, error }: Collected, spent: number): string {
  const beyond =
    cut === 0
      ? ""
      : `; ${plural(cut, "more item")} arrived but ${cut === 1 ? "is" : "are"} not shown`;
  const more =
    nextCursor === null || error !== undefined
      ? ""
      : `; there is more: add --all, or --next_cursor ${nextCursor}`;
  return `${plural(items.length, "item")}, ${plural(spent, "request")} billed${beyond}${more}`;
}

function cutShort({ error, nextCursor }: Collected): ExitError {
  const hint =
    nextCursor === null
      ? ""
      : `The items read so far are above. Continue with --next_cursor ${nextCursor}`;
  return new ExitError(
    EXIT.failed,
    error instanceof ChirpwatchError ? error.code : "CALL_CUT",
    `the list ended early: ${errorText(error)}`,
    { hint },
  );
}
