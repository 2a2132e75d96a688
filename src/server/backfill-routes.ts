/**
 * The route that turns a backfill into alerts. The command has already read the old items and paid
 * the requests; this route only stores the alerts.
 */
import type { Hono } from "hono";
import { type Clock, isoTime } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import { checkQuery, describe } from "./openapi/describe.ts";
import { problem } from "./openapi/problem.ts";
import type { Actions } from "./contract/actions.ts";
import { TIMES, timeValue } from "./contract/event-query.ts";
import { addressSchema, textValue } from "./contract/query.ts";
import { byOf, byValue } from "./contract/replay-request.ts";

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
  app.post(
    "/api/v1/backfill",
    describe({
      id: "backfill",
      summary: "Turns what was read of a watch's past into alerts; reads nothing more.",
      answer: "Backfill",
      problems: [404],
    }),
    checkQuery(
      addressSchema({
        watch: textValue("The id of the watch."),
        since: timeValue(),
        by: byValue(),
      }),
    ),
    async (c) => {
      const { watch = "", since, by } = c.req.valid("query");
      if (since === undefined)
        return problem(c, {
          status: 400,
          code: "SERVER_BAD_QUERY",
          message: `since must be ${TIMES}, not ""`,
        });
      const sinceMs = since(clock.now());
      const who = byOf(by, door);
      const view = await actions.backfill({ watchId: watch, sinceMs, by: who });
      if (view === undefined)
        return problem(c, {
          status: 404,
          code: "WATCH_UNKNOWN",
          message: `there is no polled watch "${watch.slice(0, 80)}"`,
        });
      log.info("the items of a backfill became alerts", {
        watch,
        since: isoTime(sinceMs),
        by: who,
        ...view,
      });
      return c.json(view);
    },
  );
}
