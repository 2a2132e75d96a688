/** Silences as people add and end them on the page: plain forms, so that it works without scripts. The API's routes are silence-routes.ts's. */
import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Log } from "../model/log.ts";
import { PAGE_POLICY } from "./page/page-assets.ts";
import { renderSilencePage, requestOfForm, type SilenceFormText } from "./page/page-silence-form.ts";
import type { Actions } from "./words/actions.ts";

export interface SilencePageDeps {
  readonly log: Log;
  readonly actions: Pick<Actions, "addSilence" | "expireSilence">;
}

const MOST_FORM_BYTES = 65_536;

export function addSilencePages(app: Hono, { actions, log }: SilencePageDeps): void {
  app.get("/silences", (c) => pageOf(c, renderSilencePage([])));
  app.post(
    "/silences",
    bodyLimit({ maxSize: MOST_FORM_BYTES, onError: (c) => pageOf(c, renderSilencePage(["that is too much text"]), 413) }),
    async (c) => {
      const written = await readForm(c);
      const outcome = await actions.addSilence(requestOfForm(written));
      if (!outcome.ok) return pageOf(c, renderSilencePage(outcome.errors, written), 400);
      const { id, matchers, ends_at: endsAt } = outcome.silence;
      log.info("silence added", { silence: id, matchers, until: endsAt });
      return c.redirect("/", 303);
    },
  );
  app.post("/silences/:id/expire", async (c) => {
    const id = c.req.param("id");
    const silence = await actions.expireSilence(id);
    if (silence === undefined) return pageOf(c, renderSilencePage([`there is no silence "${id.slice(0, 80)}"`]), 404);
    log.info("silence ended", { silence: id });
    return c.redirect("/", 303);
  });
}

function pageOf(c: Context, page: string, status: 200 | 400 | 404 | 413 = 200): Response {
  c.header("Content-Security-Policy", PAGE_POLICY);
  return c.html(page, status) as Response;
}

/** A field that is absent, or a file, is empty: whoever checks it says that it is missing. */
async function readForm(c: Context): Promise<SilenceFormText> {
  const body = await c.req.parseBody().catch(() => ({}) as Record<string, unknown>);
  const text = (name: string) => (typeof body[name] === "string" ? body[name] : "");
  return { matchers: text("matchers"), duration: text("duration"), comment: text("comment"), author: text("author") };
}
