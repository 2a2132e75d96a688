/** The routes that act on one alert: acknowledge it, and undo the acknowledgement. */
import type { Context, Hono } from "hono";
import type { Log } from "../model/log.ts";
import type { Actions } from "./contract/actions.ts";
import { addressSchema } from "./contract/query.ts";
import { byOf, byValue } from "./contract/replay-request.ts";
import { checkQuery, describe } from "./openapi/describe.ts";
import { problem } from "./openapi/problem.ts";

export interface AlertRouteDeps {
  readonly log: Log;
  readonly actions: Pick<Actions, "acknowledge">;
}

/**
 * The values of `door`, which says how a request came in, that mean a command: through the control
 * socket of a running daemon, or in the command's own process.
 */
const COMMANDS: ReadonlySet<string> = new Set(["control socket", "a command"]);

/** Returns where the person acted from, as text for people. */
const placeOf = (door: string): string => (COMMANDS.has(door) ? "command line" : "API");

const ALERT = { id: "The id of an event or of a message." };

export function addAlertActions(app: Hono, deps: AlertRouteDeps, door: string): void {
  const callers = addressSchema({ by: byValue() });
  app.post(
    "/api/v1/alerts/:id/acknowledgement",
    describe({
      id: "acknowledge",
      summary: "Acknowledges an alert, or all alerts of a message.",
      answer: "Marked",
      params: ALERT,
      problems: [404],
    }),
    checkQuery(callers),
    (c) => mark(c, deps, { isUndo: false, by: byOf(c.req.valid("query").by, door), door }),
  );
  app.delete(
    "/api/v1/alerts/:id/acknowledgement",
    describe({
      id: "undoAcknowledgement",
      summary: "Undoes an acknowledgement.",
      answer: "Marked",
      params: ALERT,
      problems: [404],
    }),
    checkQuery(callers),
    (c) => mark(c, deps, { isUndo: true, by: byOf(c.req.valid("query").by, door), door }),
  );
}

interface Marking {
  readonly isUndo: boolean;
  readonly by: string;
  readonly door: string;
}

async function mark(
  c: Context,
  { actions, log }: AlertRouteDeps,
  { isUndo, by, door }: Marking,
): Promise<Response> {
  const what = c.req.param("id") ?? "";
  const view = await actions.acknowledge({ what, isUndo, by, from: placeOf(door) });
  if (view === undefined)
    return problem(c, { status: 404, code: "ALERT_UNKNOWN", message: unknownAlert(what) });
  if (view.changed > 0) logMark(log, { what, isUndo, by, alerts: view.changed });
  return c.json(view);
}

export const unknownAlert = (what: string): string =>
  `there is no event and no message with alerts "${what.slice(0, 80)}": the id is wrong, or the state no longer keeps it`;

export function logMark(
  log: Log,
  { isUndo, ...fields }: { what: string; isUndo: boolean; by: string; alerts: number },
): void {
  if (isUndo) log.info("acknowledgement undone", fields);
  else log.info("alerts acknowledged", fields);
}
