/** From `--name value` on the command line to the inputs of an endpoint. Pure; what the inputs may be is the endpoint's own rule. */
import { checkInput } from "../api/check-input.ts";
import type { Endpoint } from "../api/endpoint.ts";
import { EXIT, ExitError } from "../model/exit-code.ts";
import type { Json, JsonObject } from "../model/json.ts";

export interface CallArguments {
  /** `-c`, where it was given after the endpoint. */
  readonly config: string | undefined;
  readonly flags: ReadonlySet<CallFlag>;
  /** To go on where an earlier call ended. */
  readonly cursor: string | undefined;
  /** Checked. */
  readonly params: JsonObject;
}

const FLAGS = ["all", "json", "table", "list", "help"] as const;
export type CallFlag = (typeof FLAGS)[number];
const isFlag = (name: string): name is CallFlag => (FLAGS as readonly string[]).includes(name);

/**
 * The token after a parameter is its value whatever it looks like: a query may begin with a dash. `--user-id` and `--user_id` are the
 * same; a parameter that takes many values is repeated. @throws ExitError 2 that names the parameter
 */
export function parseCallArguments(name: string, endpoint: Endpoint, tokens: readonly string[]): CallArguments {
  const flags = new Set<CallFlag>();
  const params: Record<string, Json> = {};
  let config: string | undefined;
  let cursor: string | undefined;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = readToken(tokens[at] ?? "");
    if (token.inline === undefined && isFlag(token.name)) {
      flags.add(token.name);
      continue;
    }
    const value = token.inline ?? tokens[++at];
    if (value === undefined) throw usage(`--${token.written} needs a value`);
    if (token.name === "config") config = value;
    else if (token.name === "cursor" || token.name === endpoint.cursor?.param) cursor = value;
    else addParam(params, token.name, value, isMany(endpoint, token.name));
  }
  if (flags.has("help") || flags.has("list")) return { config, flags, cursor, params: {} };
  return { config, flags, cursor, params: checked(name, endpoint, params) };
}

interface Token {
  /** With underscores. */
  readonly name: string;
  readonly written: string;
  /** What stands behind `=`. */
  readonly inline: string | undefined;
}

const SHORT: Readonly<Record<string, string>> = { "-c": "config", "-h": "help" };

function readToken(text: string): Token {
  const short = SHORT[text];
  if (short !== undefined) return { name: short, written: text, inline: undefined };
  const match = /^--([A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(text);
  if (match === null) throw usage(`"${text}" is no parameter: write --name value`);
  const written = match[1] ?? "";
  return { name: written.replaceAll("-", "_"), written, inline: match[2] };
}

const isMany = (endpoint: Endpoint, name: string): boolean => endpoint.batch?.params.includes(name) === true;

function addParam(params: Record<string, Json>, name: string, value: string, many: boolean): void {
  const before = params[name];
  if (many) params[name] = [...(Array.isArray(before) ? before : []), value];
  else if (before === undefined) params[name] = value;
  else throw usage(`--${name} is given twice and takes one value`);
}

/** Before anything is paid for. */
function checked(name: string, endpoint: Endpoint, params: JsonObject): JsonObject {
  try {
    return checkInput(name, endpoint, params);
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error), `${inputsOf(endpoint)} Nothing was sent.`);
  }
}

/** The inputs of an endpoint as flags. */
export function inputsOf(endpoint: Endpoint): string {
  const names = Object.keys(endpoint.input.shape);
  if (names.length === 0) return "It takes no parameters.";
  return `It takes ${names.map((name) => `--${name}${isMany(endpoint, name) ? " (repeatable)" : ""}`).join(", ")}.`;
}

const usage = (message: string, hint = ""): ExitError => new ExitError(EXIT.usage, "CALL_USAGE", message, { hint });
