/**
 * The routes for sending alerts again: a preview, the sending itself, and the list of what
 * operators sent again.
 */
import type { Context, Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import { checkQuery, describe } from "./openapi/describe.ts";
import { badPage, problem } from "./openapi/problem.ts";
import type { Actions } from "./contract/actions.ts";
import { pageOf, pageValues } from "./contract/paging.ts";
import { addressSchema } from "./contract/query.ts";
import { replayFilters, replayRequestOf } from "./contract/replay-request.ts";
import type { ReplayRequest } from "./schema/replay-view.ts";
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
  const answer = async (
    c: Context,
    request: ReplayRequest | string,
    work: (request: ReplayRequest) => Promise<object>,
  ): Promise<Response> =>
    typeof request === "string"
      ? problem(c, { status: 400, code: "SERVER_BAD_QUERY", message: request })
      : c.json(await work(request));
  app.get(
    "/api/v1/replay",
    describe({
      id: "previewReplay",
      summary: "Says what would be sent again.",
      answer: "Replay",
    }),
    checkQuery(replayFilters()),
    (c) =>
      answer(c, replayRequestOf(c.req.valid("query"), clock.now(), door), (request) =>
        views.replay(request),
      ),
  );
  app.post(
    "/api/v1/replay",
    describe({
      id: "replay",
      summary: "Sends alerts again: of one event, or of all that were found since a time.",
      answer: "SentAlerts",
    }),
    checkQuery(replayFilters()),
    (c) =>
      answer(c, replayRequestOf(c.req.valid("query"), clock.now(), door), async (request) => {
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
  app.get(
    "/api/v1/replays",
    describe({
      id: "listReplays",
      summary: "Lists what operators sent again, newest first.",
      answer: "Replays",
    }),
    checkQuery(addressSchema(pageValues())),
    async (c) => {
      const { replays } = await views.replays();
      const found = pageOf(replays, ({ id }) => id, c.req.valid("query"));
      return typeof found === "string"
        ? badPage(c, found)
        : c.json({ replays: found.page, next: found.next });
    },
  );
}
