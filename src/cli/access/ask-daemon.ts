/**
 * Sends requests to the daemon that uses a state, through its control socket. A daemon that only
 * stands by counts as no daemon.
 */
import type { Json } from "../../model/json.ts";
import {
  callControl,
  type ControlAnswer,
  ControlError,
  type ControlMethod,
  type ControlOptions,
} from "../../server/control-client.ts";
import { controlSocketPath } from "../../server/control-path.ts";
import type { CliContext } from "../terminal/context.ts";
import type { DaemonPlace } from "./find-daemon.ts";

/**
 * Returns the daemon's answer, or undefined if no active daemon on this host uses the state.
 * @throws ControlError if a daemon runs but does not answer
 */
export async function askDaemon(
  { state }: Pick<DaemonPlace, "state">,
  method: ControlMethod,
  path: string,
  options?: ControlOptions,
): Promise<ControlAnswer | undefined> {
  try {
    const answer = await callControl(controlSocketPath(state.path), method, path, options);
    // A daemon that stands by cannot answer questions. The caller reads the state itself instead.
    return textAt(answer.body, "error", "code") === "SERVER_STANDS_BY" ? undefined : answer;
  } catch (error) {
    if (error instanceof ControlError && error.code === "CONTROL_NOT_RUNNING") return undefined;
    throw error;
  }
}

/**
 * Warns on standard error if the configuration file has become invalid since the daemon loaded it.
 */
export function noteFault(context: CliContext, { fault }: DaemonPlace): void {
  if (fault !== undefined)
    context.err(
      `the daemon keeps the configuration that it loaded before; the file cannot be loaded now: ${fault}`,
    );
}

/** Returns the text at a path of an answer's body; "" if there is none. */
export function textAt(body: Json, ...path: readonly string[]): string {
  let at: Json | undefined = body;
  for (const key of path)
    at =
      at !== null && typeof at === "object" && !Array.isArray(at)
        ? (at as { readonly [key: string]: Json })[key]
        : undefined;
  return typeof at === "string" ? at : "";
}
