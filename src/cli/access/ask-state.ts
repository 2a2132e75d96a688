/**
 * Answers a question of a command in this process, over the state itself, where no daemon answers.
 * ask.ts loads it only then.
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
 * Returns what the routes answer, or that another process holds the state's lock. @throws ExitError
 * if the state cannot be opened
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
