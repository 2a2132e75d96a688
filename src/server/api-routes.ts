/**
 * The routes of the API, which read and change as JSON. A running daemon serves them on TCP and on
 * the control socket; a command calls them in its own process if no daemon holds the state. The
 * views provide the content of the answers.
 */
import type { Context, Hono } from "hono";
import { withoutDirectionMarks } from "../render/text/clean-text.ts";
import { addAlertActions, type AlertRouteDeps } from "./alert-routes.ts";
import { addBackfill, type BackfillRouteDeps } from "./backfill-routes.ts";
import { problem } from "./problem.ts";
import { addReplays, type ReplayRouteDeps } from "./replay-routes.ts";
import { addSilences, type SilenceRouteDeps } from "./silence-routes.ts";
import type { Actions } from "./contract/actions.ts";
import { readEventQuery, readReportQuery } from "./contract/event-query.ts";
import { explainView } from "./contract/explain-view.ts";
import { byOf } from "./contract/replay-request.ts";
import type { ApiViews } from "./contract/views.ts";

export interface ApiDeps
  extends SilenceRouteDeps,
    ReplayRouteDeps,
    BackfillRouteDeps,
    AlertRouteDeps {
  readonly views: ApiViews;
  readonly actions: Actions;
}

/** Adds the routes. `door` names the caller in logs and the audit, unless a request names one. */
export function addApi(app: Hono, deps: ApiDeps, door: string): void {
  addReads(app, deps);
  addReload(app, deps, door);
  addPauses(app, deps, door);
  addSinkActions(app, deps);
  addDeadActions(app, deps, door);
  addSilences(app, deps, door);
  addAlertActions(app, deps, door);
  addReplays(app, deps, door);
  addBackfill(app, deps, door);
}

/**
 * Removes characters that change the direction of text. Most answers contain names and texts of
 * strangers, which must not reorder what people read around them.
 */
export async function removeDirectionMarks(c: Context): Promise<void> {
  if (!/^(application\/json|text\/html)/.test(c.res.headers.get("content-type") ?? "")) return;
  const text = await c.res.text();
  c.res = new Response(withoutDirectionMarks(text), c.res);
}

function addReads(app: Hono, { views, clock }: ApiDeps): void {
  app.get("/api/v1/status", async (c) => c.json(await views.status()));
  app.get("/api/v1/budget", async (c) => c.json(await views.budget()));
  app.get("/api/v1/watches", async (c) => c.json({ watches: (await views.status()).watches }));
  app.get("/api/v1/events", async (c) => {
    const query = readEventQuery(c.req.query(), clock.now());
    return typeof query === "string"
      ? problem(c, { status: 400, code: "SERVER_BAD_QUERY", message: query })
      : c.json(await views.events(query));
  });
  app.get("/api/v1/explain/:item", async (c) => {
    const item = c.req.param("item");
    return c.json(explainView(item, await views.explain(item)));
  });
  app.get("/api/v1/render", async (c) => {
    const view = await views.render({
      what: c.req.query("event") ?? "",
      sink: c.req.query("sink") ?? "",
    });
    return typeof view === "string"
      ? problem(c, { status: 404, code: "RENDER_NOTHING", message: view })
      : c.json(view);
  });
  app.get("/api/v1/report", async (c) => {
    const query = readReportQuery(c.req.query(), clock.now());
    if (typeof query === "string")
      return problem(c, { status: 400, code: "SERVER_BAD_QUERY", message: query });
    const view = await views.report(query);
    return typeof view === "string"
      ? problem(c, { status: 404, code: "REPORT_UNKNOWN", message: view })
      : c.json(view);
  });
  app.get("/api/v1/dead", async (c) => c.json(await views.dead(c.req.query("sink"))));
}

function addReload(app: Hono, { actions }: ApiDeps, door: string): void {
  app.post("/api/v1/reload", async (c) => {
    const outcome = await actions.reload(door);
    if ("asked" in outcome) return c.json({ status: "asked", replicas: outcome.asked });
    if (outcome.ok)
      return c.json({ status: "reloaded", changed: outcome.changed, memory: outcome.memory });
    return problem(c, {
      status: 422,
      code: "CONFIG_REFUSED",
      message: "the new configuration has errors; the old one stays active",
      errors: outcome.errors,
    });
  });
}

function addPauses(app: Hono, { actions, log }: ApiDeps, door: string): void {
  for (const [verb, paused] of [["pause", true] as const, ["resume", false] as const])
    app.post(`/api/v1/watches/:id/${verb}`, async (c) => {
      const id = c.req.param("id");
      const isFromNow = !paused && c.req.query("from_now") === "true";
      const view = await actions.setPaused(id, paused, {
        isFromNow,
        by: byOf(c.req.query("by"), door),
      });
      if (view === undefined)
        return problem(c, {
          status: 404,
          code: "WATCH_UNKNOWN",
          message: `there is no watch "${id}"`,
        });
      if (isFromNow && !view.was_paused)
        return problem(c, {
          status: 409,
          code: "WATCH_NOT_PAUSED",
          message: `${id} is not paused: there is nothing to skip`,
        });
      log.info(paused ? "watch paused" : "watch resumed", {
        watch: id,
        ...(isFromNow ? { from_now: true } : {}),
      });
      return c.json(view);
    });
}

function addSinkActions(app: Hono, { actions, log }: ApiDeps): void {
  app.post("/api/v1/sinks/:name/resume", async (c) => {
    const name = c.req.param("name");
    const view = await actions.resumeSink(name);
    if (view === undefined)
      return problem(c, {
        status: 404,
        code: "SINK_UNKNOWN",
        message: `there is no sink "${name}"`,
      });
    log.info("sink resumed", { sink: name, was_disabled: view.was_disabled });
    return c.json(view);
  });
}

function addDeadActions(app: Hono, { actions, log }: ApiDeps, door: string): void {
  app.post("/api/v1/dead/ack", async (c) => {
    const sink = c.req.query("sink");
    const acknowledged = await actions.acknowledgeDead(sink);
    log.info("dead letters acknowledged", { sink: sink ?? "all", messages: acknowledged });
    return c.json({ acknowledged });
  });
  app.post("/api/v1/dead/replay", async (c) => {
    const request = { sink: c.req.query("sink"), by: byOf(c.req.query("by"), door) };
    const resent = await actions.resendDead(request);
    log.info("dead letters are sent again", {
      sink: request.sink ?? "all",
      by: request.by,
      ...resent,
    });
    return c.json(resent);
  });
}
