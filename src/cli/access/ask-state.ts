/**
 * Answers a command's question in this process, from the state itself, if no daemon answers it.
 * ask.ts imports this file only in that case, because it loads all code of the state.
 */
import type { Json } from "../../model/json.ts";
import { answerOffline } from "../../operate/offline/offline.ts";
import { sha256 } from "../../runtime/hash.ts";
import type { ControlAnswer, ControlMethod } from "../../server/control-client.ts";
import { isStateLocked } from "../../state/files/lock.ts";
import { openState } from "../../state/open-state.ts";
import type { CliContext } from "../terminal/context.ts";
import type { DaemonPlace } from "./find-daemon.ts";

interface StateQuestion {
  readonly method: ControlMethod;
  readonly path: string;
  readonly body: Json | undefined;
}

/**
 * Returns the answer of the API's routes, or `locked` if another process holds the state's lock.
 * @throws ExitError if the state cannot be opened
 */
export async function askState(
  context: CliContext,
  place: DaemonPlace,
  question: StateQuestion,
): Promise<ControlAnswer | "locked"> {
  const { clock, random, files, http, outputs, out } = context;
  const config = place.config();
  const open = (purpose: "read" | "change") => {
    const how = purpose === "read" ? { readonly: true } : { changing: true, mustExist: true };
    return openState({
      ...config.state,
      clock,
      random,
      log: context.logger(purpose === "read" ? "error" : "warn"),
      ...how,
    });
  };
  const ports = {
    clock,
    files,
    http,
    outputs,
    hash: sha256,
    log: context.logger("error"),
    write: out,
  };
  try {
    return await answerOffline({ ...ports, config, open }, question);
  } catch (error) {
    if (isStateLocked(error)) return "locked";
    throw error;
  }
}
