/**
 * Sends a command's question to the API routes of the running daemon, through its control socket.
 * If no daemon answers on this host, the same routes run in this process, on the state itself.
 */
import type { Json } from "../../model/json.ts";
import { sleep } from "../../model/clock.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { stateName } from "../../model/postgres-address.ts";
import type { ControlAnswer, ControlMethod } from "../../server/control-client.ts";
import type { CliContext } from "../terminal/context.ts";
import { askDaemon, noteFault, textAt } from "./ask-daemon.ts";
import type { DaemonPlace } from "./find-daemon.ts";

export interface Question {
  readonly method?: ControlMethod;
  /** The path of the API, for example `/api/v1/status`. */
  readonly path: string;
  /** The body, which is sent as JSON. */
  readonly body?: Json;
}

/**
 * How long to wait for the state's lock. Another command that changes the state, or a daemon that
 * starts, holds it for moments only.
 */
const MAX_LOCK_WAIT_MS = 5_000;
const LOCK_RETRY_MS = 50;

/**
 * Returns the body of the answer. @throws ExitError if the request is refused or the state cannot
 * be opened; ControlError if a daemon does not answer
 */
export async function ask<T>(
  context: CliContext,
  place: DaemonPlace,
  question: Question,
): Promise<T> {
  const answer = await answerTo(context, place, question);
  if (answer.status === 200) return answer.body as T;
  throw refusalOf(answer, question);
}

/** Returns the query of a path, without values that are undefined. */
export const queryText = (values: Readonly<Record<string, string | undefined>>): string =>
  new URLSearchParams(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();

async function answerTo(
  context: CliContext,
  place: DaemonPlace,
  question: Question,
): Promise<ControlAnswer> {
  const { clock } = context;
  const { method = "GET", path, body } = question;
  const untilMs = clock.monotonic() + MAX_LOCK_WAIT_MS;
  for (;;) {
    const answer = await askDaemon(place, method, path, body === undefined ? {} : { body });
    if (answer !== undefined) {
      noteFault(context, place);
      return answer;
    }
    // The import waits until it is needed: a command that a daemon answers needs no code of the
    // state, which is a third of all code.
    const { askState } = await import("./ask-state.ts");
    const own = await askState(context, place, { method, path, body });
    if (own !== "locked") return own;
    if (clock.monotonic() >= untilMs) throw heldElsewhere(place);
    await sleep(clock, LOCK_RETRY_MS);
  }
}

const heldElsewhere = ({ state }: DaemonPlace): ExitError =>
  new ExitError(
    EXIT.alreadyRunning,
    "STATE_LOCKED",
    `another chirpwatch holds ${stateName(state)} and cannot be reached from here: nothing was changed`,
    {
      hint: "Run the command where that daemon runs, or stop it first.",
    },
  );

/**
 * Returns the error for an answer other than 200. It repeats the code and message of the route, or
 * says that the daemon failed.
 */
function refusalOf({ status, body }: ControlAnswer, { path }: Question): ExitError {
  const code = textAt(body, "error", "code");
  const message = textAt(body, "error", "message");
  if (status >= 500 || code === "" || code.startsWith("SERVER_"))
    return new ExitError(
      EXIT.failed,
      "DAEMON_REFUSED",
      `the running daemon refused ${path}: ${message || `it answered ${status}`}`,
      {
        hint: "See its log.",
      },
    );
  const { errors = [] } = (body as { readonly error: { readonly errors?: readonly string[] } })
    .error;
  return new ExitError(
    EXIT.failed,
    code,
    errors.join("; ") === message ? errors.join("\n") : [message, ...errors].join("\n"),
  );
}
