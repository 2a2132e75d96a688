/** The routes for what people do about one alert: acknowledge it, and undo that. */
import type { Hono } from "hono";
import type { Log } from "../model/log.ts";
import type { Actions } from "./contract/actions.ts";
import { byOf } from "./contract/replay-request.ts";
import { problem } from "./problem.ts";

export interface AlertRouteDeps {
  readonly log: Log;
  readonly actions: Pick<Actions, "acknowledge">;
}

/** The doors of commands; they differ by whether a daemon runs. */
const COMMANDS: ReadonlySet<string> = new Set(["control socket", "a command"]);

/** Returns from where a person acts, for people. */
const placeOf = (door: string): string => (COMMANDS.has(door) ? "command line" : "API");

export function addAlertActions(app: Hono, { actions, log }: AlertRouteDeps, door: string): void {
  for (const [method, isUndo] of [["POST", false] as const, ["DELETE", true] as const])
    app.on(method, "/api/v1/alerts/:id/acknowledgement", async (c) => {
      const what = c.req.param("id");
      const by = byOf(c.req.query("by"), door);
      const view = await actions.acknowledge({ what, isUndo, by, from: placeOf(door) });
      if (view === undefined)
        return problem(c, { status: 404, code: "ALERT_UNKNOWN", message: unknownAlert(what) });
      if (view.changed > 0) logMark(log, { what, isUndo, by, alerts: view.changed });
      return c.json(view);
    });
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
