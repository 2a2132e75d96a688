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
import type { Done } from "./contract/done-words.ts";
import { describe } from "./openapi/describe.ts";
import { received, type Sent } from "./page-form-routes.ts";
import { answerPage } from "./page-routes.ts";
import { renderProblemPage } from "./page/page-problem.ts";

export interface AlertFormDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly actions: AlertActions;
}

/**
 * The path from `/alerts/<id>/acknowledge` back to the overview. It is relative, because a proxy may
 * serve the page below a path.
 */
const TO_ROOT = "../../";
const FROM = "page";

interface MarkForm {
  readonly verb: string;
  readonly kind: MarkKind;
  readonly isUndo: boolean;
  readonly done: Done;
  readonly already: Done;
  readonly id: string;
  readonly summary: string;
}

interface HoldForm extends Omit<MarkForm, "kind" | "isUndo"> {
  readonly action: "snooze" | "muteAuthor";
  readonly logged: "snooze" | "mute author";
}

const MARKS: readonly MarkForm[] = [
  {
    ...{ verb: "acknowledge", kind: "acknowledged", isUndo: false },
    ...{ done: "acknowledged", already: "acknowledged_already" },
    ...{ id: "submitAcknowledgement", summary: "Acknowledges an alert from the page." },
  },
  {
    ...{ verb: "unacknowledge", kind: "acknowledged", isUndo: true },
    ...{ done: "unacknowledged", already: "unacknowledged_already" },
    ...{ id: "submitUndo", summary: "Undoes an acknowledgement from the page." },
  },
  {
    ...{ verb: "not-relevant", kind: "not_relevant", isUndo: false },
    ...{ done: "not_relevant", already: "not_relevant_already" },
    ...{ id: "submitNotRelevant", summary: "Marks an alert as not relevant from the page." },
  },
  {
    ...{ verb: "relevant", kind: "not_relevant", isUndo: true },
    ...{ done: "relevant", already: "relevant_already" },
    ...{ id: "submitRelevant", summary: "Undoes such a mark from the page." },
  },
];

const HOLDS: readonly HoldForm[] = [
  {
    ...{ verb: "snooze", action: "snooze", logged: "snooze" },
    ...{ done: "snoozed", already: "snoozed_already" },
    ...{ id: "submitSnooze", summary: "Snoozes an alert from the page." },
  },
  {
    ...{ verb: "mute-author", action: "muteAuthor", logged: "mute author" },
    ...{ done: "author_muted", already: "author_muted_already" },
    ...{ id: "submitMute", summary: "Mutes an author from the page." },
  },
];

/** Adds the forms. `door` is the author of what nobody gave a name for. */
export function addAlertForms(app: Hono, deps: AlertFormDeps, door: string): void {
  for (const form of MARKS)
    app.post(`/alerts/:id/${form.verb}`, described(form), (c) =>
      received(c, deps, door, (sent) => mark(sent, deps, form)),
    );
  for (const form of HOLDS)
    app.post(`/alerts/:id/${form.verb}`, described(form), (c) =>
      received(c, deps, door, (sent) => hold(sent, deps, form)),
    );
}

const described = ({ id, summary }: Pick<MarkForm, "id" | "summary">) =>
  describe({
    ...{ id, summary, answer: "text/html", status: 303, also: [400, 404, 408, 413] },
    params: { id: "The id of the event." },
  });

async function mark(
  { c, by }: Sent,
  { actions, log }: AlertFormDeps,
  { kind, isUndo, done, already }: MarkForm,
): Promise<Response> {
  const what = c.req.param("id") ?? "";
  const view = await setMark(actions, kind, { what, isUndo, by, from: FROM });
  if (view === undefined) return refused(c, unknownAlert(what), 404);
  if (view.changed > 0) logMark(log, kind, { what, isUndo, by, alerts: view.changed });
  return back(c, view.changed > 0 ? done : already);
}

async function hold(
  { c, by, fields }: Sent,
  { actions, log }: AlertFormDeps,
  { action, logged, done, already }: HoldForm,
): Promise<Response> {
  const what = c.req.param("id") ?? "";
  const text = (name: string) => fields.get(name) || undefined;
  const request = { what, by, from: FROM, sink: text("sink") };
  // One form has all buttons, and its length is that of a snooze.
  const length = action === "snooze" ? { length: text("for") } : {};
  const answer = await actions[action]({ ...request, ...length });
  if (!answer.ok)
    return refused(c, answer.problem.message, answer.problem.code === "ALERT_UNKNOWN" ? 404 : 400);
  logHeld(log, logged, answer, { what, by });
  return back(c, answer.view.changed > 0 ? done : already);
}

const refused = (c: Context, problem: string, status: 400 | 404): Response =>
  answerPage(
    c,
    renderProblemPage({ title: "Nothing was done", problems: [problem], root: TO_ROOT }),
    status,
  );

/** Leads back to the page that sent the form: the list with its filters, or else the alert. */
function back(c: Context, done: Done): Response {
  const list = listOf(c.req.header("referer"));
  if (list === undefined)
    return c.redirect(`../${encodeURIComponent(c.req.param("id") ?? "")}?done=${done}`, 303);
  list.set("done", done);
  return c.redirect(`${TO_ROOT}events?${list.toString()}`, 303);
}

/** Returns the filters of the list that sent the form; undefined if another page sent it. */
function listOf(referer: string | undefined): URLSearchParams | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const { pathname, searchParams } = new URL(referer);
  return pathname.endsWith("/events") ? searchParams : undefined;
}
