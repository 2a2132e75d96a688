/** The routes of silences: read, add and end them, and send what they hold back. */
import type { Context, Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import { problem } from "./problem.ts";
import { type BodyRefusal, parseJson, readBody } from "./request-body.ts";
import type { Actions } from "./contract/actions.ts";
import { byOf } from "./contract/replay-request.ts";
import type { SilenceRequest } from "./contract/silence-view.ts";
import type { Views } from "./contract/views.ts";

export interface SilenceRouteDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly views: Pick<Views, "silences">;
  readonly actions: Pick<Actions, "addSilence" | "expireSilence" | "resendSilenced">;
}

const SHAPE =
  'the body must be JSON like { "matchers": ["watch=\\"brand\\""], "duration": "1h", "comment": "planned maintenance", "author": "alice" }';

export function addSilences(
  app: Hono,
  { views, actions, log, clock }: SilenceRouteDeps,
  door: string,
): void {
  app.get("/api/v1/silences", async (c) =>
    c.json(await views.silences(c.req.query("expired") === "true")),
  );
  app.post("/api/v1/silences/replay", async (c) => {
    const { sink, silence, by: asked } = c.req.query();
    const by = byOf(asked, door);
    const resent = await actions.resendSilenced({ sink, silenceId: silence, by });
    log.info("silenced alerts are sent", {
      by,
      sink: sink ?? "all",
      silence: silence ?? "all",
      ...resent,
    });
    return c.json(resent);
  });
  app.post("/api/v1/silences", async (c) => {
    const body = await readBody(c, clock);
    if ("refusal" in body) return badBody(c, body.refusal);
    const request = readRequest(parseJson(body.bytes));
    if (request === undefined) return badBody(c, 400);
    const outcome = await actions.addSilence(request);
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
  });
  app.delete("/api/v1/silences/:id", async (c) => {
    const id = c.req.param("id");
    const silence = await actions.expireSilence(id);
    if (silence === undefined)
      return problem(c, {
        status: 404,
        code: "SILENCE_UNKNOWN",
        message: `there is no silence "${id}"`,
      });
    log.info("silence ended", { silence: id });
    return c.json(silence);
  });
}

const badBody = (c: Context, status: BodyRefusal): Response =>
  problem(c, { status, code: "SERVER_BAD_BODY", message: SHAPE });

/**
 * Reads the request. Absent fields become empty, and the check of the silence reports them as
 * missing. Returns undefined if a field is unknown or has another type.
 */
function readRequest(body: unknown): SilenceRequest | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
  const {
    matchers = [],
    duration = "",
    comment = "",
    author = "",
    ...others
  } = body as Readonly<Record<string, unknown>>;
  const isText = (value: unknown): value is string => typeof value === "string";
  if (Object.keys(others).length > 0 || !Array.isArray(matchers) || !matchers.every(isText))
    return undefined;
  return isText(duration) && isText(comment) && isText(author)
    ? { matchers, duration, comment, author }
    : undefined;
}
