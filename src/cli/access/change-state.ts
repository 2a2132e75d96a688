/** How a command that changes something does it: the running daemon is asked; where none runs, the state is opened. */
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { LogLevel } from "../../runtime/logger.ts";
import type { OpenedStore } from "../../state/open.ts";
import { openState } from "../../state/open-state.ts";
import { plural } from "../terminal/table.ts";
import { askDaemon, noteFault, textAt } from "./ask-daemon.ts";
import type { CliContext } from "../terminal/context.ts";
import type { DaemonPlace } from "./find-daemon.ts";

/** The daemon's answer; undefined when none runs. @throws ExitError when it refuses. */
export async function postDaemon<T>(context: CliContext, place: DaemonPlace, path: string): Promise<T | undefined> {
  const answer = await askDaemon(place, "POST", path);
  if (answer === undefined) return undefined;
  noteFault(context, place);
  if (answer.status === 200) return answer.body as T;
  const why = textAt(answer.body, "error", "message") || `it answered ${answer.status}`;
  throw new ExitError(EXIT.failed, "DAEMON_REFUSED", `the running daemon refused: ${why}`, { hint: "see its log" });
}

/** What becomes of a change in a state that `count` daemons work on, none of them here. */
export const keptText = (count: number): string =>
  count === 0 ? "no daemon runs now, the next start keeps to it" : `kept to by ${plural(count, "replica")} on this state`;

/** When alerts go out that a command made due; `isRunning`: a daemon has them, here or elsewhere on the state. */
export const goesText = (isRunning: boolean): string => (isRunning ? "now" : "at the next start: no daemon runs now");

/** Whether a daemon works on a state that is opened beside it. */
export const isWorkedOn = async (store: Pick<OpenedStore, "connectedReplicas">): Promise<boolean> =>
  (await store.connectedReplicas()).length > 0;

/** Makes alerts due again: by the running daemon, else in the state, where those that run elsewhere on it find them. */
export async function resendAlerts(
  context: CliContext,
  place: DaemonPlace,
  { path, inState }: { readonly path: string; readonly inState: (store: OpenedStore) => Promise<Resent> },
): Promise<Resent & { readonly isRunning: boolean }> {
  const said = await postDaemon<Resent>(context, place, path);
  if (said !== undefined) return { alerts: said.alerts, isRunning: true };
  return changeState(context, place, async (store) => ({ alerts: (await inState(store)).alerts, isRunning: await isWorkedOn(store) }));
}

interface Resent {
  readonly alerts: number;
}

/** The state is there, and no daemon runs here. Those that run elsewhere on it read it again. @throws ExitError 74, 75 */
export async function changeState<T>(
  context: CliContext,
  place: DaemonPlace,
  change: (store: OpenedStore) => Promise<T>,
  level: LogLevel = "warn",
): Promise<T> {
  const { clock, random } = context;
  const store = await openState({ ...place.state, clock, random, log: context.logger(level), changing: true, mustExist: true });
  try {
    const result = await change(store);
    if (place.state.postgres !== undefined) await store.announce("all");
    return result;
  } finally {
    await store.close();
  }
}
