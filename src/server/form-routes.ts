/**
 * The routes for the status page's forms that add and end silences. They accept plain HTML forms,
 * so that the page works without scripts. The API's routes are in silence-routes.ts.
 */
import type { Context, Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import { describe } from "./openapi/describe.ts";
import { PAGE_POLICY } from "./page/page-assets.ts";
import {
  renderSilencePage,
  requestOfForm,
  type SilenceFormText,
} from "./page/page-silence-form.ts";
import { type BodyRefusal, parseForm, readBody } from "./request-body.ts";
import type { Actions } from "./contract/actions.ts";

export interface SilencePageDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly actions: Pick<Actions, "addSilence" | "expireSilence">;
}

/**
 * The path from `/silences/<id>/expire` back to the status page. Links are relative, because a
 * proxy may serve the page below a path.
 */
const TO_ROOT = "../../";

const REFUSALS: Readonly<Record<BodyRefusal, string>> = {
  413: "the text is too long",
  408: "the form did not arrive in time",
  400: "the form did not arrive completely",
};

export function addSilencePages(app: Hono, { actions, log, clock }: SilencePageDeps): void {
  const form = describe({ id: "showSilenceForm", summary: "The form.", answer: "text/html" });
  app.get("/silences", form, (c) => pageOf(c, renderSilencePage({})));
  const add = describe({
    id: "submitSilence",
    summary: "Adds a silence from the form.",
    answer: "text/html",
    status: 303,
    also: [400, 408, 413],
    body: "application/x-www-form-urlencoded",
  });
  app.post("/silences", add, async (c) => {
    const body = await readBody(c, clock);
    if ("refusal" in body)
      return pageOf(c, renderSilencePage({ problems: [REFUSALS[body.refusal]] }), body.refusal);
    const written = textOf(await parseForm(body.bytes, c.req.header("content-type") ?? ""));
    const outcome = await actions.addSilence(requestOfForm(written));
    if (!outcome.ok)
      return pageOf(c, renderSilencePage({ problems: outcome.errors, written }), 400);
    const { id, matchers, ends_at: endsAt } = outcome.silence;
    log.info("silence added", { silence: id, matchers, until: endsAt });
    return c.redirect(".", 303);
  });
  const end = describe({
    id: "submitSilenceEnd",
    summary: "Ends a silence from the page.",
    answer: "text/html",
    status: 303,
    also: [404],
    params: { id: "The id of the silence." },
  });
  app.post("/silences/:id/expire", end, async (c) => {
    const id = c.req.param("id");
    const silence = await actions.expireSilence(id);
    if (silence === undefined)
      return pageOf(
        c,
        renderSilencePage({
          problems: [`there is no silence "${id.slice(0, 80)}"`],
          root: TO_ROOT,
        }),
        404,
      );
    log.info("silence ended", { silence: id });
    return c.redirect(TO_ROOT, 303);
  });
}

function pageOf(c: Context, page: string, status: 200 | 404 | BodyRefusal = 200): Response {
  c.header("Content-Security-Policy", PAGE_POLICY);
  return c.html(page, status) as Response;
}

/**
 * Returns the fields of the form. An absent field or a file becomes an empty text, which the check
 * of the silence then reports as missing.
 */
function textOf(fields: ReadonlyMap<string, string>): SilenceFormText {
  const text = (name: string) => fields.get(name) ?? "";
  return {
    matchers: text("matchers"),
    duration: text("duration"),
    comment: text("comment"),
    author: text("author"),
  };
}
