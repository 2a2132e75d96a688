/**
 * The routes for the status page's forms that act on an alert. They accept plain HTML forms, so
 * that the page works without scripts. The API's routes are in alert-routes.ts.
 */
import type { Context, Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import { logMark, unknownAlert } from "./alert-routes.ts";
import type { Actions } from "./contract/actions.ts";
import { byOf } from "./contract/replay-request.ts";
import { describe } from "./openapi/describe.ts";
import { PAGE_POLICY } from "./page/page-assets.ts";
import { renderBadEventsPage } from "./page/page-events.ts";
import { parseForm, readBody } from "./contract/request-body.ts";

export interface AlertFormDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly actions: Pick<Actions, "acknowledge">;
}

/**
 * The path from `/alerts/<id>/acknowledge` back to the page of events. It is relative, because a
 * proxy may serve the page below a path.
 */
const TO_EVENTS = "../../events";
const BY = "page";

export function addAlertForms(app: Hono, deps: AlertFormDeps): void {
  const form = (id: string, summary: string) =>
    describe({
      id,
      summary,
      answer: "text/html",
      status: 303,
      also: [404],
      params: { id: "The id of the event." },
    });
  app.post(
    "/alerts/:id/acknowledge",
    form("submitAcknowledgement", "Acknowledges an alert from the page."),
    (c) => mark(c, deps, false),
  );
  app.post(
    "/alerts/:id/unacknowledge",
    form("submitUndo", "Undoes an acknowledgement from the page."),
    (c) => mark(c, deps, true),
  );
}

async function mark(
  c: Context,
  { actions, log, clock }: AlertFormDeps,
  isUndo: boolean,
): Promise<Response> {
  const what = c.req.param("id") ?? "";
  const body = await readBody(c, clock);
  const fields =
    "refusal" in body
      ? new Map<string, string>()
      : await parseForm(body.bytes, c.req.header("content-type") ?? "");
  const by = byOf(fields.get("by"), BY);
  const view = await actions.acknowledge({ what, isUndo, by, from: BY });
  if (view === undefined) {
    c.header("Content-Security-Policy", PAGE_POLICY);
    return c.html(renderBadEventsPage(unknownAlert(what)), 404);
  }
  if (view.changed > 0) logMark(log, { what, isUndo, by, alerts: view.changed });
  return c.redirect(`${TO_EVENTS}${queryOf(c.req.header("referer"))}`, 303);
}

/**
 * Returns the query of the page that sent the form, so that the page keeps its filters afterwards.
 */
function queryOf(referer: string | undefined): string {
  if (referer === undefined || !URL.canParse(referer)) return "";
  const { pathname, search } = new URL(referer);
  return pathname.endsWith("/events") ? search : "";
}
