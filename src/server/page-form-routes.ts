/**
 * The forms of the pages of watches and sinks, and those that reload and send again. Each is a plain
 * form that leads back to its page, which says what was done. Silences and acknowledgements have
 * files of their own.
 */
import type { Context, Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import type { Actions } from "./contract/actions.ts";
import type { Trials } from "./contract/trials.ts";
import type { Done } from "./contract/done-words.ts";
import { byOf } from "./contract/replay-request.ts";
import { describe } from "./openapi/describe.ts";
import { answerPage, rootOf } from "./page-routes.ts";
import { renderMissingPage } from "./page/page-missing.ts";
import { renderProblemPage } from "./page/page-problem.ts";
import { type BodyRefusal, parseForm, readBody } from "./contract/request-body.ts";

export interface PageFormDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly actions: Pick<
    Actions,
    "setPaused" | "resumeSink" | "acknowledgeDead" | "resendDead" | "replay" | "reload"
  >;
  readonly trials: Pick<Trials, "testSink">;
}

/** A form that was read completely. */
export interface Sent {
  readonly c: Context;
  /** The person who sent it, for the audit. */
  readonly by: string;
  readonly fields: ReadonlyMap<string, string>;
}

export const REFUSALS: Readonly<Record<BodyRefusal, string>> = {
  413: "the text is too long",
  408: "the form did not arrive in time",
  400: "the form did not arrive completely",
};

/** Adds the forms. `door` names the page in logs and the audit, where nobody gave a name. */
export function addPageForms(app: Hono, deps: PageFormDeps, door: string): void {
  const { actions, trials } = deps;
  const add = (path: string, id: string, summary: string, act: (sent: Sent) => Promise<Response>) =>
    app.post(path, formOf(id, summary, path), (c) => received(c, deps, door, act));

  add("/reload", "submitReload", "Reloads the configuration.", async ({ c, by }) => {
    const outcome = await actions.reload(by);
    if (!outcome.ok) return problemPage(c, "The configuration was refused", outcome.errors, "");
    return back(c, ".", "changed" in outcome && !outcome.changed ? "unchanged" : "reloaded");
  });
  add("/watches/:id/pause", "submitPause", "Pauses a watch.", (sent) =>
    setPaused(sent, deps, true),
  );
  add("/watches/:id/resume", "submitResume", "Resumes a watch.", (sent) =>
    setPaused(sent, deps, false),
  );
  add("/sinks/:name/resume", "submitSinkResume", "Tries a failing sink now.", async ({ c, by }) => {
    const name = c.req.param("name") ?? "";
    const view = await actions.resumeSink(name, by);
    return view === undefined
      ? answerPage(c, renderMissingPage("sink", name, "../../"), 404)
      : back(c, `../${encodeURIComponent(name)}`, "sink_resumed");
  });
  add("/sinks/:name/test", "submitSinkTest", "Sends a test message.", async ({ c, by }) => {
    const name = c.req.param("name") ?? "";
    const outcome = await trials.testSink(name, by);
    if (outcome === undefined) return answerPage(c, renderMissingPage("sink", name, "../../"), 404);
    return outcome.error === ""
      ? back(c, `../${encodeURIComponent(name)}`, "sample_sent")
      : problemPage(c, `${name} did not take the test message`, [outcome.error], "../../");
  });
  add("/sinks/:name/dead/replay", "submitDeadReplay", "Sends dead letters again.", async (sent) => {
    const name = sent.c.req.param("name") ?? "";
    const { messages } = await actions.resendDead({ sink: name, by: sent.by });
    return back(
      sent.c,
      `../../${encodeURIComponent(name)}`,
      messages === 0 ? "dead_none" : "dead_resent",
    );
  });
  add(
    "/sinks/:name/dead/acknowledge",
    "submitDeadLoss",
    "Accepts the loss of dead letters.",
    async ({ c, by }) => {
      const name = c.req.param("name") ?? "";
      const count = await actions.acknowledgeDead(name, by);
      return back(
        c,
        `../../${encodeURIComponent(name)}`,
        count === 0 ? "dead_none" : "dead_accepted",
      );
    },
  );
  add("/alerts/:id/replay", "submitReplay", "Sends an alert again.", async ({ c, by, fields }) => {
    const eventId = c.req.param("id") ?? "";
    const sink = fields.get("sink") === "" ? undefined : fields.get("sink");
    const { alerts } = await actions.replay({ what: { eventId }, sink, by });
    return back(
      c,
      `../${encodeURIComponent(eventId)}`,
      alerts === 0 ? "replayed_none" : "replayed",
    );
  });
}

function formOf(id: string, summary: string, path: string) {
  const named = /:(\w+)/.exec(path)?.[1];
  return describe({
    id,
    summary,
    answer: "text/html",
    status: 303,
    also: [400, 404, 408, 413],
    body: "application/x-www-form-urlencoded",
    ...(named === undefined ? {} : { params: { [named]: "As in the address of the page." } }),
  });
}

/** Reads the form to its end and carries it out. */
export async function received(
  c: Context,
  { clock, log }: Pick<PageFormDeps, "clock" | "log">,
  door: string,
  act: (sent: Sent) => Promise<Response>,
): Promise<Response> {
  const body = await readBody(c, clock);
  if ("refusal" in body)
    return answerPage(
      c,
      renderProblemPage({
        title: "Nothing was done",
        problems: [REFUSALS[body.refusal]],
        root: rootOf(c),
      }),
      body.refusal,
    );
  const fields = await parseForm(body.bytes, c.req.header("content-type") ?? "");
  const by = byOf(fields.get("by"), door);
  log.info("a form of the page was sent", { path: c.req.path, by });
  return act({ c, by, fields });
}

async function setPaused({ c, by, fields }: Sent, { actions }: PageFormDeps, paused: boolean) {
  const id = c.req.param("id") ?? "";
  const isFromNow = fields.get("from_now") === "true";
  const view = await actions.setPaused(id, paused, { isFromNow, by });
  if (view === undefined) return answerPage(c, renderMissingPage("watch", id, "../../"), 404);
  const done = paused ? "paused" : "resumed";
  return back(
    c,
    `../${encodeURIComponent(id)}`,
    view.was_paused === paused ? `${done}_already` : done,
  );
}

/** Leads back to a page, which says what was done. Links are relative, as a proxy may need it. */
const back = (c: Context, to: string, done: Done): Response =>
  c.redirect(`${to}?done=${done}`, 303);

export const problemPage = (
  c: Context,
  title: string,
  problems: readonly string[],
  root: string,
): Response => answerPage(c, renderProblemPage({ title, problems, root }), 400);
