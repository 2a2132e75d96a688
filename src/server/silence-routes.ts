/** The routes of silences: list, add and end them, and send the alerts that they hold back. */
import type { Context, Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import { checkQuery, describe } from "./openapi/describe.ts";
import { badPage, problem } from "./openapi/problem.ts";
import { type BodyRefusal, parseJson, readBody } from "./contract/request-body.ts";
import type { Actions } from "./contract/actions.ts";
import { pageOf, pageValues } from "./contract/paging.ts";
import { flagValue, addressSchema, textValue } from "./contract/query.ts";
import { byOf, byValue, sinkValue } from "./contract/replay-request.ts";
import { silenceBodySchema } from "./contract/silence-body.ts";
import type { Views } from "./contract/views.ts";

export interface SilenceRouteDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly views: Pick<Views, "silences">;
  readonly actions: Pick<Actions, "addSilence" | "expireSilence" | "resendSilenced">;
}

const SHAPE =
  'the body must be JSON like { "matchers": ["watch=\\"brand\\""], "duration": "1h", "comment": "planned maintenance", "author": "alice" }';

export function addSilences(app: Hono, deps: SilenceRouteDeps, door: string): void {
  addSilenceReads(app, deps, door);
  addSilenceChanges(app, deps, door);
}

function addSilenceReads(app: Hono, { views, actions, log }: SilenceRouteDeps, door: string): void {
  app.get(
    "/api/v1/silences",
    describe({ id: "listSilences", summary: "Lists silences.", answer: "Silences" }),
    checkQuery(
      addressSchema({
        expired: flagValue("`true` lists those that ended, too."),
        ...pageValues(),
      }),
    ),
    async (c) => {
      const { expired = false, ...page } = c.req.valid("query");
      const { silences } = await views.silences(expired);
      const found = pageOf(silences, ({ id }) => id, page);
      return typeof found === "string"
        ? badPage(c, found)
        : c.json({ silences: found.page, next: found.next });
    },
  );
  app.post(
    "/api/v1/silences/replay",
    describe({
      id: "resendSilenced",
      summary: "Sends alerts that silences hold back.",
      answer: "SentAlerts",
    }),
    checkQuery(
      addressSchema({
        sink: sinkValue(),
        silence: textValue("The id of a silence; all silences if it is absent."),
        by: byValue(),
      }),
    ),
    async (c) => {
      const { sink, silence, by: asked } = c.req.valid("query");
      const by = byOf(asked, door);
      const resent = await actions.resendSilenced({ sink, silenceId: silence, by });
      log.info("silenced alerts are sent", {
        by,
        sink: sink ?? "all",
        silence: silence ?? "all",
        ...resent,
      });
      return c.json(resent);
    },
  );
}

function addSilenceChanges(
  app: Hono,
  { actions, log, clock }: SilenceRouteDeps,
  door: string,
): void {
  app.post(
    "/api/v1/silences",
    describe({
      id: "addSilence",
      summary: "Adds a silence, which is active at once.",
      answer: "AddedSilence",
      body: "SilenceBody",
      problems: [400, 408, 413],
    }),
    checkQuery(addressSchema({})),
    async (c) => {
      const body = await readBody(c, clock);
      if ("refusal" in body) return badBody(c, body.refusal);
      const request = silenceBodySchema.safeParse(parseJson(body.bytes));
      if (!request.success) return badBody(c, 400);
      const outcome = await actions.addSilence(request.data);
      if (!outcome.ok)
        return problem(c, {
          status: 400,
          code: "SILENCE_INVALID",
          message: outcome.errors.join("; "),
          errors: outcome.errors,
        });
      const { id, matchers, ends_at: endsAt } = outcome.silence;
      log.info("silence added", { silence: id, matchers, until: endsAt });
      return c.json(outcome.silence);
    },
  );
  app.delete(
    "/api/v1/silences/:id",
    describe({
      id: "endSilence",
      summary: "Ends a silence.",
      answer: "EndedSilence",
      params: { id: "The id of the silence." },
      problems: [404],
    }),
    checkQuery(addressSchema({})),
    async (c) => {
      const id = c.req.param("id");
      const silence = await actions.expireSilence(id, door);
      if (silence === undefined)
        return problem(c, {
          status: 404,
          code: "SILENCE_UNKNOWN",
          message: `there is no silence "${id}"`,
        });
      log.info("silence ended", { silence: id });
      return c.json(silence);
    },
  );
}

const badBody = (c: Context, status: BodyRefusal): Response =>
  problem(c, { status, code: "SERVER_BAD_BODY", message: SHAPE });
