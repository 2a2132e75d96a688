/**
 * Checks inputs before a request is paid for, by the rules in the rows of the endpoint table. The
 * service checks everything else.
 */
import type { z } from "zod";
import type { JsonObject } from "../model/json.ts";
import { UpstreamError } from "../model/upstream.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * Thrown before anything is sent, for an input that the service would certainly refuse with status
 * 400. `parameter` names the input. The kind is `bad_request`, as for a 400 of the service, but
 * nothing was billed and `status` is undefined.
 */
export class ApiInputError extends UpstreamError {
  readonly endpoint: string;
  readonly parameter: string;
  constructor(endpoint: string, parameter: string, problem: string) {
    super("bad_request", `${endpoint}: ${problem}`, undefined, {
      hint: "Correct the parameter; nothing was sent.",
      fields: { endpoint, parameter },
    });
    this.endpoint = endpoint;
    this.parameter = parameter;
  }
}

/** Returns the name of a parameter as a message shows it. Commands show it as a flag. */
export type ShowParameter = (parameter: string) => string;
const plain: ShowParameter = (parameter) => parameter;

/** Returns the inputs in the form in which they are sent. @throws ApiInputError */
export function checkInput(
  name: string,
  endpoint: Endpoint,
  params: JsonObject,
  show: ShowParameter = plain,
): JsonObject {
  const given = Object.fromEntries(
    Object.entries(params).filter(([, value]) => value !== undefined),
  );
  const parsed = endpoint.input.safeParse(given, { reportInput: true });
  if (!parsed.success) throw inputError(name, endpoint, parsed.error.issues[0], show);
  for (const group of endpoint.exactlyOne ?? []) {
    const found = group.filter((param) => param in given);
    if (found.length !== 1)
      throw new ApiInputError(
        name,
        (found.length === 0 ? group : found).join(", "),
        `give exactly one of ${listed(group.map(show))}`,
      );
  }
  for (const group of endpoint.atLeastOne ?? []) {
    if (!group.some((param) => param in given))
      throw new ApiInputError(name, group.join(", "), `give one of ${listed(group.map(show))}`);
  }
  return parsed.data as JsonObject;
}

function inputError(
  name: string,
  endpoint: Endpoint,
  issue: z.core.$ZodIssue | undefined,
  show: ShowParameter,
): ApiInputError {
  if (issue?.code === "unrecognized_keys") {
    const unknown = issue.keys[0] ?? "";
    const known = Object.keys(endpoint.input.shape);
    return new ApiInputError(
      name,
      unknown,
      `"${show(unknown)}" is not a parameter; ${known.length === 0 ? "it takes none" : `it takes ${listed(known.map(show))}`}`,
    );
  }
  const parameter = String(issue?.path[0] ?? "");
  const isMissing = issue?.code === "invalid_type" && issue.input === undefined;
  const problem = isMissing ? "is missing" : (issue?.message ?? "cannot be used");
  return new ApiInputError(name, parameter, `"${show(parameter)}" ${lowerFirst(problem)}`);
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const listed = (names: readonly string[]): string =>
  names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
