/** How a command that only reads asks: the running daemon first, else the state itself, opened for reading. */
import type { Config } from "../../config/config.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Json } from "../../model/json.ts";
import type { StateAddress } from "../../model/postgres-address.ts";
import type { OpenedStore } from "../../state/open.ts";
import { openState } from "../../state/open-state.ts";
import { askDaemon, noteFault, textAt } from "./ask-daemon.ts";
import type { CliContext } from "../terminal/context.ts";
import type { DaemonPlace } from "./find-daemon.ts";

/** The JSON of a path of `/api/v1/`; undefined when no daemon runs. @throws ControlError, ExitError */
export async function readDaemon(context: CliContext, place: DaemonPlace, path: string): Promise<Json | undefined> {
  const answer = await askDaemon(place, "GET", path);
  if (answer === undefined) return undefined;
  noteFault(context, place);
  if (answer.status === 200) return answer.body;
  const why = textAt(answer.body, "error", "message") || `it answered ${answer.status}`;
  throw new ExitError(EXIT.failed, "DAEMON_REFUSED", `the running daemon refused ${path}: ${why}`, { hint: "see its log" });
}

/** Whether there may be a state to read. Of a server, only asking it says. */
export const hasState = async ({ files }: CliContext, { path, postgres }: StateAddress): Promise<boolean> =>
  postgres !== undefined || files.exists(path);

/** @throws ExitError 74 when there is no state, or it cannot be read. */
export async function readState<T>(context: CliContext, config: Config, read: (store: OpenedStore) => Promise<T>): Promise<T> {
  const { clock, random } = context;
  const store = await openState({ ...config.state, clock, random, log: context.logger("error"), readonly: true });
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}
