/**
 * The routes for the status page's forms that act on an alert. They accept plain HTML forms, so
 * that the page works without scripts. The API's routes are in alert-routes.ts.
 */
import type { Context, Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { MarkKind } from "../model/mark.ts";
import { type AlertActions, logHeld, logMark, setMark } from "./alert-routes.ts";
import { unknownAlert } from "./contract/delivery-words.ts";
import { byOf } from "./contract/replay-request.ts";
import { describe } from "./openapi/describe.ts";
import { PAGE_POLICY } from "./page/page-assets.ts";
import { renderBadEventsPage } from "./page/page-events.ts";
import { parseForm, readBody } from "./contract/request-body.ts";

export interface AlertFormDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly actions: AlertActions;
}

/**
 * The path from `/alerts/<id>/acknowledge` back to the page of events. It is relative, because a
 * proxy may serve the page below a path.
 */
const TO_EVENTS = "../../events";
const BY = "page";

interface MarkForm {
  readonly verb: string;
  readonly kind: MarkKind;
  readonly isUndo: boolean;
  readonly id: string;
  readonly summary: string;
}

const MARKS: readonly MarkForm[] = [
  {
    ...{ verb: "acknowledge", kind: "acknowledged", isUndo: false },
    ...{ id: "submitAcknowledgement", summary: "Acknowledges an alert from the page." },
  },
  {
    ...{ verb: "unacknowledge", kind: "acknowledged", isUndo: true },
    ...{ id: "submitUndo", summary: "Undoes an acknowledgement from the page." },
  },
  {
    ...{ verb: "not-relevant", kind: "not_relevant", isUndo: false },
    ...{ id: "submitNotRelevant", summary: "Marks an alert as not relevant from the page." },
  },
  {
    ...{ verb: "relevant", kind: "not_relevant", isUndo: true },
    ...{ id: "submitRelevant", summary: "Undoes such a mark from the page." },
  },
];

export function addAlertForms(app: Hono, deps: AlertFormDeps): void {
  for (const form of MARKS)
    app.post(`/alerts/:id/${form.verb}`, described(form, [404]), (c) => mark(c, deps, form));
  app.post(
    "/alerts/:id/snooze",
    described({ id: "submitSnooze", summary: "Snoozes an alert from the page." }, [400, 404]),
    (c) => hold(c, deps, "snooze"),
  );
  app.post(
    "/alerts/:id/mute-author",
    described({ id: "submitMute", summary: "Mutes an author from the page." }, [400, 404]),
    (c) => hold(c, deps, "mute author"),
  );
}

const described = (
  { id, summary }: Pick<MarkForm, "id" | "summary">,
  also: readonly (400 | 404)[],
) =>
  describe({
    ...{ id, summary, answer: "text/html", status: 303, also: [...also] },
    params: { id: "The id of the event." },
  });

async function mark(
  c: Context,
  { actions, log, clock }: AlertFormDeps,
  { kind, isUndo }: MarkForm,
): Promise<Response> {
  const what = c.req.param("id") ?? "";
  const by = byOf((await fieldsOf(c, clock)).get("by"), BY);
  const view = await setMark(actions, kind, { what, isUndo, by, from: BY });
  if (view === undefined) return refused(c, unknownAlert(what), 404);
  if (view.changed > 0) logMark(log, kind, { what, isUndo, by, alerts: view.changed });
  return back(c);
}

async function hold(
  c: Context,
  { actions, log, clock }: AlertFormDeps,
  action: "snooze" | "mute author",
): Promise<Response> {
  const what = c.req.param("id") ?? "";
  const fields = await fieldsOf(c, clock);
  const by = byOf(fields.get("by"), BY);
  const text = (name: string) => fields.get(name) || undefined;
  const request = { what, by, from: BY, sink: text("sink") };
  // One form has all buttons, and its length is that of a snooze.
  const answer = await (action === "snooze"
    ? actions.snooze({ ...request, length: text("for") })
    : actions.muteAuthor(request));
  if (!answer.ok)
    return refused(c, answer.problem.message, answer.problem.code === "ALERT_UNKNOWN" ? 404 : 400);
  logHeld(log, action, answer, { what, by });
  return back(c);
}

async function fieldsOf(c: Context, clock: Clock): Promise<ReadonlyMap<string, string>> {
  const body = await readBody(c, clock);
  return "refusal" in body ? new Map() : parseForm(body.bytes, c.req.header("content-type") ?? "");
}

function refused(c: Context, message: string, status: 400 | 404): Response {
  c.header("Content-Security-Policy", PAGE_POLICY);
  return c.html(renderBadEventsPage(message), status) as Response;
}

const back = (c: Context): Response =>
  c.redirect(`${TO_EVENTS}${queryOf(c.req.header("referer"))}`, 303);

/**
 * Returns the query of the page that sent the form, so that the page keeps its filters afterwards.
 */
function queryOf(referer: string | undefined): string {
  if (referer === undefined || !URL.canParse(referer)) return "";
  const { pathname, search } = new URL(referer);
  return pathname.endsWith("/events") ? search : "";
}
