/**
 * The routes for what people do about one alert: acknowledge it, mark it as not relevant, snooze
 * it, and mute its author.
 */
import type { Context, Hono } from "hono";
import type { Log } from "../model/log.ts";
import type { MarkKind } from "../model/mark.ts";
import type { Actions, HoldAnswer } from "./contract/actions.ts";
import { unknownAlert } from "./contract/delivery-words.ts";
import { addressSchema, textValue } from "./contract/query.ts";
import { byOf, byValue } from "./contract/replay-request.ts";
import { checkQuery, describe } from "./openapi/describe.ts";
import { problem } from "./openapi/problem.ts";

export type AlertActions = Pick<
  Actions,
  "acknowledge" | "markNotRelevant" | "snooze" | "muteAuthor"
>;

export interface AlertRouteDeps {
  readonly log: Log;
  readonly actions: AlertActions;
}

/**
 * The values of `door`, which says how a request came in, that mean a command: through the control
 * socket of a running daemon, or in the command's own process.
 */
const COMMANDS: ReadonlySet<string> = new Set(["control socket", "a command"]);

/** Returns where the person acted from, as text for people. */
const placeOf = (door: string): string => (COMMANDS.has(door) ? "command line" : "API");

const ALERT = { id: "The id of an event or of a message." };

export function addAlertActions(app: Hono, deps: AlertRouteDeps, door: string): void {
  const { log, actions } = deps;
  addMark(app, { log, actions, door }, ACKNOWLEDGEMENT);
  addMark(app, { log, actions, door }, NOT_RELEVANT);
  addHolds(app, deps, door);
}

interface MarkRoute {
  readonly kind: MarkKind;
  readonly path: string;
  readonly answer: "Marked" | "MarkedNotRelevant";
  readonly set: { readonly id: string; readonly summary: string };
  readonly undo: { readonly id: string; readonly summary: string };
}

const ACKNOWLEDGEMENT: MarkRoute = {
  kind: "acknowledged",
  path: "/api/v1/alerts/:id/acknowledgement",
  answer: "Marked",
  set: { id: "acknowledge", summary: "Acknowledges an alert, or all alerts of a message." },
  undo: { id: "undoAcknowledgement", summary: "Undoes an acknowledgement." },
};

const NOT_RELEVANT: MarkRoute = {
  kind: "not_relevant",
  path: "/api/v1/alerts/:id/not-relevant",
  answer: "MarkedNotRelevant",
  set: {
    id: "markNotRelevant",
    summary: "Marks an alert, or all alerts of a message, as not relevant.",
  },
  undo: { id: "undoNotRelevant", summary: "Undoes such a mark." },
};

function addMark(
  app: Hono,
  deps: AlertRouteDeps & { readonly door: string },
  { kind, path, answer, set, undo }: MarkRoute,
): void {
  const callers = addressSchema({ by: byValue() });
  const described = (route: MarkRoute["set"]) =>
    describe({ ...route, answer, params: ALERT, problems: [404] });
  const mark = async (c: Context, isUndo: boolean, asked: string | undefined) => {
    const what = c.req.param("id") ?? "";
    const by = byOf(asked, deps.door);
    const request = { what, isUndo, by, from: placeOf(deps.door) };
    const view = await setMark(deps.actions, kind, request);
    if (view === undefined)
      return problem(c, { status: 404, code: "ALERT_UNKNOWN", message: unknownAlert(what) });
    if (view.changed > 0) logMark(deps.log, kind, { what, isUndo, by, alerts: view.changed });
    return c.json(view);
  };
  app.post(path, described(set), checkQuery(callers), (c) =>
    mark(c, false, c.req.valid("query").by),
  );
  app.delete(path, described(undo), checkQuery(callers), (c) =>
    mark(c, true, c.req.valid("query").by),
  );
}

/** Sets or removes a mark of a kind. */
export const setMark = (
  actions: AlertActions,
  kind: MarkKind,
  request: Parameters<Actions["acknowledge"]>[0],
) => (kind === "acknowledged" ? actions.acknowledge(request) : actions.markNotRelevant(request));

const sinkOfAlert = () =>
  textValue("The name of a sink; each sink that has the alert if it is absent.");

/** What holds back what an alert is about. Both routes take a length and a sink. */
const HOLDS = [
  {
    path: "/api/v1/alerts/:id/snooze",
    id: "snooze",
    summary: "Snoozes the conversation, or else the account, that an alert is about.",
    lengths: "How long: a duration such as `4h`, or `tomorrow` for 9:00 in its zone.",
    action: "snooze",
    logged: "snooze",
  },
  {
    path: "/api/v1/alerts/:id/author-silence",
    id: "muteAuthor",
    summary: "Silences the author of an alert.",
    lengths: "How long: a duration; 7d if it is absent.",
    action: "muteAuthor",
    logged: "mute author",
  },
] as const;

function addHolds(app: Hono, { actions, log }: AlertRouteDeps, door: string): void {
  for (const { path, id, summary, lengths, action, logged } of HOLDS)
    app.post(
      path,
      describe({ id, summary, answer: "Held", params: ALERT, problems: [400, 404] }),
      checkQuery(addressSchema({ for: textValue(lengths), sink: sinkOfAlert(), by: byValue() })),
      async (c) => {
        const { for: length, sink, by } = c.req.valid("query");
        const what = c.req.param("id");
        const who = { by: byOf(by, door), from: placeOf(door) };
        const answer = await actions[action]({ what, sink, length, ...who });
        logHeld(log, logged, answer, { what, by: who.by });
        return heldAnswer(c, answer);
      },
    );
}

function heldAnswer(c: Context, answer: HoldAnswer): Response {
  if (answer.ok) return c.json(answer.view);
  const { code, message } = answer.problem;
  return problem(c, { status: code === "ALERT_UNKNOWN" ? 404 : 400, code, message });
}

export function logMark(
  log: Log,
  kind: MarkKind,
  { isUndo, ...fields }: { what: string; isUndo: boolean; by: string; alerts: number },
): void {
  if (kind === "not_relevant" && isUndo) log.info("mark as not relevant undone", fields);
  else if (kind === "not_relevant") log.info("alerts marked as not relevant", fields);
  else if (isUndo) log.info("acknowledgement undone", fields);
  else log.info("alerts acknowledged", fields);
}

/** Logs what was snoozed or silenced, if something was. */
export function logHeld(
  log: Log,
  action: "snooze" | "mute author",
  answer: HoldAnswer,
  who: { readonly what: string; readonly by: string },
): void {
  if (!answer.ok || answer.view.changed === 0) return;
  const ids = answer.view.held.map(({ id }) => id);
  const fields = { ...who, silences: ids, until: answer.view.held.map(({ until }) => until) };
  if (action === "snooze") log.info("alerts snoozed", fields);
  else log.info("author muted", fields);
}
