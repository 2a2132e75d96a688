/**
 * The route that turns a backfill into alerts. The command reads the past and pays for it; the
 * daemon commits.
 */
import type { Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import { problem } from "./problem.ts";
import type { Actions } from "./contract/actions.ts";
import { parseTime, TIMES } from "./contract/event-query.ts";

export interface BackfillRouteDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly actions: Pick<Actions, "backfill">;
}

export function addBackfill(
  app: Hono,
  { clock, log, actions }: BackfillRouteDeps,
  door: string,
): void {
  app.post("/api/v1/backfill", async (c) => {
    const { watch = "", since = "", by = "" } = c.req.query();
    const sinceMs = parseTime(since.trim(), clock.now());
    if (sinceMs === undefined)
      return problem(c, {
        status: 400,
        code: "SERVER_BAD_QUERY",
        message: `since must be ${TIMES}, not "${since.slice(0, 80)}"`,
      });
    const who = by.slice(0, 100) || door;
    const view = await actions.backfill({ watchId: watch, sinceMs, by: who });
    if (view === undefined)
      return problem(c, {
        status: 404,
        code: "WATCH_UNKNOWN",
        message: `there is no polled watch "${watch.slice(0, 80)}"`,
      });
    log.info("the items of a backfill became alerts", { watch, since, by: who, ...view });
    return c.json(view);
  });
}
