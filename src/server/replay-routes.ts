/** The routes of alerts that are sent again: a preview, sending them, and what was sent again. */
import type { Context, Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import { problem } from "./problem.ts";
import type { Actions } from "./contract/actions.ts";
import { readReplayRequest } from "./contract/replay-request.ts";
import type { ReplayRequest } from "./contract/replay-view.ts";
import type { Views } from "./contract/views.ts";

export interface ReplayRouteDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly views: Pick<Views, "replay" | "replays">;
  readonly actions: Pick<Actions, "replay">;
}

export function addReplays(
  app: Hono,
  { clock, log, views, actions }: ReplayRouteDeps,
  door: string,
): void {
  const requested = (c: Context) => readReplayRequest(c.req.query(), clock.now(), door);
  const answer = async (
    c: Context,
    work: (request: ReplayRequest) => Promise<object>,
  ): Promise<Response> => {
    const request = requested(c);
    if (typeof request === "string")
      return problem(c, { status: 400, code: "SERVER_BAD_QUERY", message: request });
    return c.json(await work(request));
  };
  app.get("/api/v1/replay", (c) => answer(c, (request) => views.replay(request)));
  app.post("/api/v1/replay", (c) =>
    answer(c, async (request) => {
      const resent = await actions.replay(request);
      log.info("alerts are sent again", {
        by: request.by,
        sink: request.sink ?? "all",
        ...request.what,
        ...resent,
      });
      return resent;
    }),
  );
  app.get("/api/v1/replays", async (c) => c.json(await views.replays()));
}
