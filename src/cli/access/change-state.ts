/**
 * Changes that a command always makes in the state itself and never through a daemon: to the state
 * as a whole, or to which configuration is the current one.
 */
import type { LogLevel } from "../../runtime/logger.ts";
import type { OpenedStore } from "../../state/open.ts";
import { openState } from "../../state/open-state.ts";
import type { CliContext } from "../terminal/context.ts";
import type { DaemonPlace } from "./find-daemon.ts";

/**
 * Opens the state, changes it and closes it. A state file stays locked until the change is written.
 * On Postgres, running daemons are notified so that they read the state again. @throws ExitError
 * 74, 75
 */
export async function changeState<T>(
  context: CliContext,
  place: DaemonPlace,
  change: (store: OpenedStore) => Promise<T>,
  level: LogLevel = "warn",
): Promise<T> {
  const { clock, random } = context;
  const store = await openState({
    ...place.state,
    clock,
    random,
    log: context.logger(level),
    changing: true,
    mustExist: true,
  });
  try {
    const result = await change(store);
    if (place.state.postgres !== undefined) await store.announce("all");
    return result;
  } finally {
    await store.close();
  }
}
