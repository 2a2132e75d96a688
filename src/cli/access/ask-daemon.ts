/**
 * Asks the running daemon of a state file through its control socket. Decides what "no daemon"
 * means to a command.
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
 * The daemon's answer, or undefined when none works on this state here. @throws ControlError when
 * one does but gives no answer.
 */
export async function askDaemon(
  { state }: Pick<DaemonPlace, "state">,
  method: ControlMethod,
  path: string,
  options?: ControlOptions,
): Promise<ControlAnswer | undefined> {
  try {
    const answer = await callControl(controlSocketPath(state.path), method, path, options);
    // A daemon that stands by cannot answer this; the state can.
    return textAt(answer.body, "error", "code") === "SERVER_STANDS_BY" ? undefined : answer;
  } catch (error) {
    if (error instanceof ControlError && error.code === "CONTROL_NOT_RUNNING") return undefined;
    throw error;
  }
}

/** Notes on standard error that the daemon's file has become invalid since the daemon loaded it. */
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
