/**
 * The routes for the status page's forms that add and end silences. They accept plain HTML forms,
 * so that the page works without scripts. The API's routes are in silence-routes.ts.
 */
import type { Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import { describe } from "./openapi/describe.ts";
import { REFUSALS } from "./page-form-routes.ts";
import { answerPage } from "./page-routes.ts";
import {
  EMPTY_SILENCE,
  renderSilencePage,
  requestOfForm,
  type SilenceFormText,
} from "./page/page-silence-form.ts";
import { parseForm, readBody } from "./contract/request-body.ts";
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

export function addSilencePages(app: Hono, { actions, log, clock }: SilencePageDeps): void {
  const form = describe({ id: "showSilenceForm", summary: "The form.", answer: "text/html" });
  app.get("/silences", form, (c) => {
    const { matchers = "" } = c.req.query();
    return answerPage(c, renderSilencePage({ written: { ...EMPTY_SILENCE, matchers } }));
  });
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
      return answerPage(c, renderSilencePage({ problems: [REFUSALS[body.refusal]] }), body.refusal);
    const written = textOf(await parseForm(body.bytes, c.req.header("content-type") ?? ""));
    const outcome = await actions.addSilence(requestOfForm(written));
    if (!outcome.ok)
      return answerPage(c, renderSilencePage({ problems: outcome.errors, written }), 400);
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
      return answerPage(
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
