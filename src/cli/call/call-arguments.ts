/**
 * Converts `--name value` on the command line to the inputs of an endpoint. Pure; the endpoint
 * itself defines which inputs are valid.
 */
import { z } from "zod";
import { checkInput } from "../../api/check-input.ts";
import type { Endpoint } from "../../api/endpoint.ts";
import { didYouMean } from "../../config/suggest.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { ownValue } from "../../model/own-value.ts";

export interface CallArguments {
  /** The value of `-c` if it was written after the endpoint's name. */
  readonly config: string | undefined;
  readonly flags: ReadonlySet<CallFlag>;
  /** The cursor at which an earlier call ended. */
  readonly cursor: string | undefined;
  /** Reading stops once this many items have arrived. */
  readonly limit: number | undefined;
  /** The inputs of the endpoint, checked. */
  readonly params: JsonObject;
}

const FLAGS = ["all", "json", "table", "list", "help"] as const;
export type CallFlag = (typeof FLAGS)[number];
/** Flags of `call` itself that take a value. */
const VALUE_FLAGS = ["config", "cursor", "limit"] as const;
/** All flags of `call` itself. No input of an endpoint may have one of these names. */
export const CALL_FLAGS: readonly string[] = [...FLAGS, ...VALUE_FLAGS];

const isFlag = (name: string): name is CallFlag => (FLAGS as readonly string[]).includes(name);

/**
 * Parses the arguments. The token after a parameter is its value, even if it begins with a dash, as
 * a query may. `--user-id` and `--user_id` mean the same, and a parameter with several values is
 * repeated. @throws ExitError with exit code 2, which names the parameter
 */
export function parseCallArguments(
  name: string,
  endpoint: Endpoint,
  tokens: readonly string[],
): CallArguments {
  const flags = new Set<CallFlag>();
  const params: Record<string, Json> = {};
  const own: Partial<Record<"config" | "cursor" | "limit", string>> = {};
  for (let at = 0; at < tokens.length; at += 1) {
    const token = readToken(tokens[at] ?? "");
    if (token.inline === undefined && isFlag(token.name)) {
      flags.add(token.name);
      continue;
    }
    requireKnown(name, endpoint, token);
    const value = token.inline ?? tokens[++at];
    if (value === undefined) throw usage(`--${token.written} needs a value`);
    if (token.name === "config" || token.name === "limit") own[token.name] = value;
    else if (token.name === "cursor" || token.name === endpoint.cursor?.param) own.cursor = value;
    else addParam(params, token.name, value, isMany(endpoint, token.name));
  }
  const rest = { config: own.config, flags, cursor: own.cursor, limit: readLimit(own.limit) };
  if (flags.has("help") || flags.has("list")) return { ...rest, params: {} };
  return { ...rest, params: checked(name, endpoint, params) };
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1)
    throw usage(`--limit must be a whole number from 1, not "${text}"`);
  return limit;
}

/** Refuses unknown parameters, because a misspelt one would take the next token as its value. */
function requireKnown(name: string, endpoint: Endpoint, { name: param, written }: Token): void {
  const inputs = Object.keys(endpoint.input.shape);
  const cursors = endpoint.cursor === undefined ? [] : [endpoint.cursor.param];
  const known = [...inputs, ...cursors, ...CALL_FLAGS];
  if (known.includes(param)) return;
  const meant = didYouMean(param, known).replace("`", "`--");
  throw usage(
    `${name} has no parameter --${written}${meant}`,
    `${inputsOf(endpoint)} Nothing was sent.`,
  );
}

interface Token {
  /** The name, with dashes replaced by underscores. */
  readonly name: string;
  readonly written: string;
  /** The value after `=`. */
  readonly inline: string | undefined;
}

const SHORT: Readonly<Record<string, string>> = { "-c": "config", "-h": "help" };

function readToken(text: string): Token {
  const short = ownValue(SHORT, text);
  if (short !== undefined) return { name: short, written: text, inline: undefined };
  const match = /^--([A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(text);
  if (match === null) throw usage(`"${text}" is not a parameter: write --name value`);
  const written = match[1] ?? "";
  return { name: written.replaceAll("-", "_"), written, inline: match[2] };
}

const isMany = (endpoint: Endpoint, name: string): boolean =>
  endpoint.batch?.params.includes(name) === true;

function addParam(params: Record<string, Json>, name: string, value: string, many: boolean): void {
  const before = ownValue(params, name);
  if (many) params[name] = [...(Array.isArray(before) ? before : []), value];
  else if (before === undefined) params[name] = value;
  else throw usage(`--${name} is given twice but takes one value`);
}

/** Checks the inputs before anything is paid for. */
function checked(name: string, endpoint: Endpoint, params: JsonObject): JsonObject {
  try {
    return checkInput(name, endpoint, params, (parameter) => `--${parameter}`);
  } catch (error) {
    throw usage(
      error instanceof Error ? error.message : String(error),
      `${inputsOf(endpoint)} Nothing was sent.`,
    );
  }
}

/** Lists the inputs of an endpoint as flags, and says which of them are required. */
export function inputsOf(endpoint: Endpoint): string {
  const names = Object.keys(endpoint.input.shape);
  if (names.length === 0) return "It takes no parameters.";
  const groups = [
    ...(endpoint.exactlyOne ?? []).map(
      (group) => ` Give exactly one of ${group.map(asFlag).join(", ")}.`,
    ),
    ...(endpoint.atLeastOne ?? []).map(
      (group) => ` Give at least one of ${group.map(asFlag).join(", ")}.`,
    ),
  ];
  return `It takes ${names.map((name) => `${asFlag(name)}${remarkOn(endpoint, name)}`).join(", ")}.${groups.join("")}`;
}

const asFlag = (name: string): string => `--${name}`;

function remarkOn(endpoint: Endpoint, name: string): string {
  if (isMany(endpoint, name)) return " (repeatable)";
  const choices = choicesOf(endpoint.input.shape[name] as z.ZodType);
  return choices.length === 0 ? "" : ` ${choices.join("|")}`;
}

function choicesOf(schema: z.ZodType): readonly string[] {
  if (schema instanceof z.ZodOptional) return choicesOf(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodEnum ? schema.options.map(String) : [];
}

const usage = (message: string, hint = ""): ExitError =>
  new ExitError(EXIT.usage, "CALL_USAGE", message, { hint });
