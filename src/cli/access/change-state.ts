/**
 * Opens the state for commands that change it themselves and never ask a daemon to: they change the
 * state as a whole, or which configuration is current.
 */
import type { LogLevel } from "../../runtime/logger.ts";
import type { OpenedStore } from "../../state/open.ts";
import { openState } from "../../state/open-state.ts";
import type { CliContext } from "../terminal/context.ts";
import type { DaemonPlace } from "./find-daemon.ts";

/**
 * Opens the state, changes it and closes it. A state file stays locked until the change is written.
 * On Postgres, running daemons are notified so that they read the state again. @throws ExitError
 * with exit code 74 if the state cannot be opened, 75 if another process holds its lock
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
