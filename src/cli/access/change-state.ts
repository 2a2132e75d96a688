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

/** The state is there, and no daemon runs here. Those that run elsewhere on it read it again. @throws ExitError 74, 75 */
export async function changeState<T>(
  context: CliContext,
  place: DaemonPlace,
  change: (store: OpenedStore) => Promise<T>,
  level: LogLevel = "warn",
): Promise<T> {
  const { clock, random } = context;
  const store = await openState({ ...place.state, clock, random, log: context.logger(level), shared: true, mustExist: true });
  try {
    const result = await change(store);
    if (place.state.postgres !== undefined) await store.announce("all");
    return result;
  } finally {
    await store.close();
  }
}
