/** The routes, the same over TCP and over the control socket. Owns paths, status codes and headers; what is said comes from the views. */
import type { IncomingMessage } from "node:http";
import { Hono, type Context } from "hono";
import type { Clock } from "../model/clock.ts";
import { ChirpwatchError } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import { withoutDirectionMarks } from "../render/text/clean-text.ts";
import { readEventQuery } from "./words/event-query.ts";
import { explainView } from "./words/explain-view.ts";
import { addBackfill, type BackfillRouteDeps } from "./backfill-routes.ts";
import { refuseCaller, refuseOrigin, type Refusal } from "./guard.ts";
import { PAGE_POLICY } from "./page/page-assets.ts";
import { renderPage } from "./page/page.ts";
import { renderBadEventsPage, renderEventsPage } from "./page/page-events.ts";
import { createProbe } from "./probe.ts";
import { problem } from "./problem.ts";
import { byOf } from "./words/replay-request.ts";
import { addReplays, type ReplayRouteDeps } from "./replay-routes.ts";
import { addSilencePages } from "./form-routes.ts";
import { addSilences, type SilenceRouteDeps } from "./silence-routes.ts";
import { addTailRoute, type TailRouteDeps } from "./tail-routes.ts";
import type { WrongTokens } from "./wrong-tokens.ts";
import type { Actions } from "./words/actions.ts";
import type { Health, Views } from "./words/views.ts";

/** `socket`: who may open the socket may ask. `tcp`: token, or loopback names only. */
export type Access =
  | { readonly kind: "socket" }
  | { readonly kind: "tcp"; readonly token?: string; readonly publicHost?: string; readonly wrongTokens?: WrongTokens };

export interface HttpRouteDeps extends SilenceRouteDeps, ReplayRouteDeps, TailRouteDeps, BackfillRouteDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly views: Views;
  readonly actions: Actions;
}

export function createRoutes(deps: HttpRouteDeps, access: Access): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    await removeDirectionMarks(c);
    c.header("Cache-Control", "no-store");
    c.header("X-Content-Type-Options", "nosniff");
    // Not `no-referrer`: a browser then sends its own forms without their origin, and they are refused as foreign.
    c.header("Referrer-Policy", "same-origin");
  });
  addHealth(app, deps);
  app.use(async (c, next) => refusalOf(c, access, deps.log) ?? next());
  addReads(app, deps);
  addActions(app, deps, access);
  addSinkActions(app, deps);
  addDeadActions(app, deps, callerOf(access));
  addSilences(app, deps, callerOf(access));
  addSilencePages(app, deps);
  addTailRoute(app, deps);
  addReplays(app, deps, callerOf(access));
  addBackfill(app, deps, callerOf(access));
  app.notFound((c) => problem(c, { status: 404, code: "SERVER_NO_SUCH_PATH", message: "there is nothing at this path" }));
  app.onError((error, c) => {
    deps.log.error("a request to the server failed", { path: c.req.path, error });
    const code = error instanceof ChirpwatchError ? error.code : "SERVER_FAILED";
    return problem(c, { status: 500, code, message: "the daemon could not answer: see its log" });
  });
  return app;
}

/** Names and texts of strangers stand in most answers: none of them may reorder what people read around it. */
async function removeDirectionMarks(c: Context): Promise<void> {
  if (!/^(application\/json|text\/html)/.test(c.res.headers.get("content-type") ?? "")) return;
  const text = await c.res.text();
  c.res = new Response(withoutDirectionMarks(text), c.res);
}

/** No token, no Host check: a probe has neither. */
function addHealth(app: Hono, { views, clock }: HttpRouteDeps): void {
  const probe = createProbe(views, clock);
  const answer = (c: Context, good: boolean, health: Health) =>
    c.json({ status: good ? "ok" : "failing", reason: health.reason }, good ? 200 : 503);
  app.get("/healthz", async (c) => {
    const health = await probe();
    return answer(c, health.live, health);
  });
  app.get("/readyz", async (c) => {
    const health = await probe();
    return answer(c, health.live && health.ready, health);
  });
}

function addReads(app: Hono, { views, clock }: HttpRouteDeps): void {
  app.get("/", async (c) => {
    c.header("Content-Security-Policy", PAGE_POLICY);
    return c.html(renderPage(await views.status(), clock.now()));
  });
  app.get("/metrics", async (c) => c.body(await views.metrics(), 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }));
  app.get("/api/v1/status", async (c) => c.json(await views.status()));
  app.get("/api/v1/budget", async (c) => c.json(await views.budget()));
  app.get("/api/v1/watches", async (c) => c.json({ watches: (await views.status()).watches }));
  app.get("/api/v1/events", async (c) => {
    const query = readEventQuery(c.req.query(), clock.now());
    return typeof query === "string"
      ? problem(c, { status: 400, code: "SERVER_BAD_QUERY", message: query })
      : c.json(await views.events(query));
  });
  app.get("/events", async (c) => {
    c.header("Content-Security-Policy", PAGE_POLICY);
    const asked = c.req.query();
    const query = readEventQuery({ limit: "200", ...asked }, clock.now());
    if (typeof query === "string") return c.html(renderBadEventsPage(query), 400);
    return c.html(renderEventsPage(await views.events(query), asked, clock.now()));
  });
  app.get("/api/v1/explain/:item", async (c) => {
    const item = c.req.param("item");
    return c.json(explainView(item, await views.explain(item)));
  });
  app.get("/api/v1/render", async (c) => {
    const view = await views.render({ what: c.req.query("event") ?? "", sink: c.req.query("sink") ?? "" });
    return typeof view === "string" ? problem(c, { status: 404, code: "RENDER_NOTHING", message: view }) : c.json(view);
  });
  app.get("/api/v1/dead", async (c) => c.json(await views.dead(c.req.query("sink"))));
}

function addActions(app: Hono, { actions, log }: HttpRouteDeps, access: Access): void {
  app.post("/api/v1/reload", async (c) => {
    const outcome = await actions.reload(callerOf(access));
    if (outcome.ok) return c.json({ status: "reloaded", changed: outcome.changed, memory: outcome.memory });
    return problem(c, {
      status: 422,
      code: "CONFIG_REFUSED",
      message: "the new configuration has errors; the old one stays active",
      errors: outcome.errors,
    });
  });
  for (const [verb, paused] of [["pause", true] as const, ["resume", false] as const])
    app.post(`/api/v1/watches/:id/${verb}`, async (c) => {
      const id = c.req.param("id");
      const isFromNow = !paused && c.req.query("from_now") === "true";
      const view = await actions.setPaused(id, paused, { isFromNow, by: callerOf(access) });
      if (view === undefined) return problem(c, { status: 404, code: "WATCH_UNKNOWN", message: `there is no watch "${id}"` });
      if (isFromNow && !view.was_paused)
        return problem(c, { status: 409, code: "WATCH_NOT_PAUSED", message: `${id} is not paused: there is nothing to leave out` });
      log.info(paused ? "watch paused" : "watch resumed", { watch: id, ...(isFromNow ? { from_now: true } : {}) });
      return c.json(view);
    });
}

function addSinkActions(app: Hono, { actions, log }: HttpRouteDeps): void {
  app.post("/api/v1/sinks/:name/resume", async (c) => {
    const name = c.req.param("name");
    const view = await actions.resumeSink(name);
    if (view === undefined) return problem(c, { status: 404, code: "SINK_UNKNOWN", message: `there is no sink "${name}"` });
    log.info("sink resumed", { sink: name, was_disabled: view.was_disabled });
    return c.json(view);
  });
}

function addDeadActions(app: Hono, { actions, log }: HttpRouteDeps, door: string): void {
  app.post("/api/v1/dead/ack", async (c) => {
    const sink = c.req.query("sink");
    const acknowledged = await actions.acknowledgeDead(sink);
    log.info("dead letters acknowledged", { sink: sink ?? "all", messages: acknowledged });
    return c.json({ acknowledged });
  });
  app.post("/api/v1/dead/replay", async (c) => {
    const request = { sink: c.req.query("sink"), by: byOf(c.req.query("by"), door) };
    const resent = await actions.resendDead(request);
    log.info("dead letters are sent again", { sink: request.sink ?? "all", by: request.by, ...resent });
    return c.json(resent);
  });
}

/** For logs and the audit. */
const callerOf = ({ kind }: Access): string => (kind === "tcp" ? "API" : "control socket");

/** Of the other end of the connection: headers that name another one may be forged. */
function addressOf(c: Context): string {
  const { incoming } = c.env as { readonly incoming?: IncomingMessage };
  return incoming?.socket.remoteAddress ?? "an unknown address";
}

function refusalOf(c: Context, access: Access, log: Log): Response | undefined {
  const header = (name: string) => c.req.header(name);
  const changes = c.req.method !== "GET" && c.req.method !== "HEAD";
  const refusal: Refusal | undefined =
    (access.kind === "tcp" ? refuseCaller(header, access.token, access.publicHost) : undefined) ??
    (changes ? refuseOrigin(header) : undefined);
  if (refusal === undefined) return undefined;
  // Whoever has no token yet is asked for one.
  if (access.kind === "tcp" && refusal.status === 401 && header("authorization") !== undefined) access.wrongTokens?.take(addressOf(c), log);
  if (refusal.status === 401) c.header("WWW-Authenticate", 'Basic realm="chirpwatch", charset="UTF-8"');
  return problem(c, refusal);
}
