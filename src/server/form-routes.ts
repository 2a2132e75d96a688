/**
 * The routes for the status page's forms that add and end silences. They accept plain HTML forms,
 * so that the page works without scripts. The API's routes are in silence-routes.ts.
 */
import type { Context, Hono } from "hono";
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
import type { Done } from "./contract/done-words.ts";
import { byOf } from "./contract/replay-request.ts";
import type { Views } from "./contract/views.ts";
import type { SilenceRequest } from "./schema/silence-view.ts";

export interface SilencePageDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly views: Pick<Views, "silences">;
  readonly actions: Pick<Actions, "addSilence" | "expireSilence">;
}

/** A silence that equals one that is younger than this is a form that was sent twice. */
const TWICE_MS = 60_000;

/**
 * The path from `/silences/<id>/expire` back to the status page. Links are relative, because a
 * proxy may serve the page below a path.
 */
const TO_ROOT = "../../";

/** Adds the forms. `door` is the author of what nobody gave a name for. */
export function addSilencePages(app: Hono, deps: SilencePageDeps, door: string): void {
  const { actions, log, clock } = deps;
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
    const request = { ...requestOfForm(written), author: byOf(written.author, door) };
    if (await isSentTwice(request, deps)) return back(c, ".", "silence_already");
    const outcome = await actions.addSilence(request);
    if (!outcome.ok)
      return answerPage(c, renderSilencePage({ problems: outcome.errors, written }), 400);
    const { id, matchers, ends_at: endsAt } = outcome.silence;
    log.info("silence added", { silence: id, matchers, until: endsAt });
    return back(c, ".", "silence_added");
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
    const askedAtMs = clock.now();
    const silence = await actions.expireSilence(id, door);
    if (silence === undefined)
      return answerPage(
        c,
        renderSilencePage({
          problems: [`there is no silence "${id.slice(0, 80)}"`],
          root: TO_ROOT,
        }),
        404,
      );
    if (Date.parse(silence.ends_at) < askedAtMs) return back(c, TO_ROOT, "silence_ended_already");
    log.info("silence ended", { silence: id });
    return back(c, TO_ROOT, "silence_ended");
  });
}

const back = (c: Context, to: string, done: Done): Response =>
  c.redirect(`${to}?done=${done}`, 303);

/** Whether an equal silence was added a moment ago. */
async function isSentTwice(
  { matchers, comment, author }: SilenceRequest,
  { views, clock }: SilencePageDeps,
): Promise<boolean> {
  const { silences } = await views.silences(false);
  return silences.some(
    (one) =>
      one.author === author &&
      one.comment === comment &&
      one.matchers.join("\n") === matchers.join("\n") &&
      Date.parse(one.starts_at) > clock.now() - TWICE_MS,
  );
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
