/** The routes, the same over TCP and over the control socket. Owns paths, status codes and headers; what is said comes from the views. */
import { Hono, type Context } from "hono";
import type { Clock } from "../model/clock.ts";
import { ChirpwatchError } from "../model/errors.ts";
import { eventData } from "../model/event.ts";
import type { Log } from "../model/log.ts";
import { explainView } from "./explain-view.ts";
import { refuseCaller, refuseOrigin, type Refusal } from "./guard.ts";
import { PAGE_POLICY } from "./page-assets.ts";
import { renderPage } from "./page.ts";
import { createProbe } from "./probe.ts";
import type { Actions, Health, Views } from "./views.ts";

/** `socket`: who may open the socket may ask. `tcp`: token, or loopback names only. */
export type Access = { readonly kind: "socket" } | { readonly kind: "tcp"; readonly token?: string };

export interface RouteDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly views: Views;
  readonly actions: Actions;
}

const DEFAULT_EVENTS = 50;
const MAX_EVENTS = 500;

export function createRoutes(deps: RouteDeps, access: Access): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.header("Cache-Control", "no-store");
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Referrer-Policy", "no-referrer");
  });
  addHealth(app, deps);
  app.use(async (c, next) => refusalOf(c, access) ?? next());
  addReads(app, deps);
  addActions(app, deps);
  app.notFound((c) => problem(c, 404, "SERVER_NO_SUCH_PATH", "there is nothing at this path"));
  app.onError((error, c) => {
    deps.log.error("a request to the server failed", { path: c.req.path, error });
    const code = error instanceof ChirpwatchError ? error.code : "SERVER_FAILED";
    return problem(c, 500, code, "the daemon could not answer: see its log");
  });
  return app;
}

/** No token, no Host check: a probe has neither. */
function addHealth(app: Hono, { views, clock }: RouteDeps): void {
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

function addReads(app: Hono, { views, clock }: RouteDeps): void {
  app.get("/", async (c) => {
    c.header("Content-Security-Policy", PAGE_POLICY);
    return c.html(renderPage(await views.status(), clock.now()));
  });
  app.get("/metrics", async (c) => c.body(await views.metrics(), 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }));
  app.get("/api/v1/status", async (c) => c.json(await views.status()));
  app.get("/api/v1/budget", async (c) => c.json(await views.budget()));
  app.get("/api/v1/watches", async (c) => c.json({ watches: (await views.status()).watches }));
  app.get("/api/v1/events", async (c) => {
    const limit = Number(c.req.query("limit") ?? DEFAULT_EVENTS);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_EVENTS)
      return problem(c, 400, "SERVER_BAD_LIMIT", `limit is a whole number from 1 to ${MAX_EVENTS}`);
    const events = await views.events(limit);
    return c.json({
      events: events.map((event) => ({ type: event.type, timestamp: new Date(event.detectedAtMs).toISOString(), data: eventData(event) })),
    });
  });
  app.get("/api/v1/explain/:item", async (c) => {
    const item = c.req.param("item");
    return c.json(explainView(item, await views.explain(item)));
  });
}

function addActions(app: Hono, { actions, log }: RouteDeps): void {
  app.post("/api/v1/reload", async (c) => {
    const outcome = await actions.reload();
    if (outcome.ok) return c.json({ status: "reloaded" });
    return problem(c, 422, "CONFIG_REFUSED", "the new configuration has errors; the old one stays in force", outcome.errors);
  });
  for (const [verb, paused] of [["pause", true] as const, ["resume", false] as const])
    app.post(`/api/v1/watches/:id/${verb}`, async (c) => {
      const id = c.req.param("id");
      if (!(await actions.setPaused(id, paused))) return problem(c, 404, "WATCH_UNKNOWN", `there is no watch "${id}"`);
      log.info(paused ? "watch paused" : "watch resumed", { watch: id });
      return c.json({ watch: id, paused });
    });
}

function refusalOf(c: Context, access: Access): Response | undefined {
  const header = (name: string) => c.req.header(name);
  const changes = c.req.method !== "GET" && c.req.method !== "HEAD";
  const refusal: Refusal | undefined =
    (access.kind === "tcp" ? refuseCaller(header, access.token) : undefined) ?? (changes ? refuseOrigin(header) : undefined);
  if (refusal === undefined) return undefined;
  if (refusal.status === 401) c.header("WWW-Authenticate", 'Basic realm="chirpwatch", charset="UTF-8"');
  return problem(c, refusal.status, refusal.code, refusal.message);
}

/** Every answer that is not what was asked for: `{ "error": { code, message, errors? } }`. */
function problem(
  c: Context,
  status: 400 | 401 | 403 | 404 | 422 | 500,
  code: string,
  message: string,
  errors?: readonly string[],
): Response {
  return c.json({ error: { code, message, ...(errors === undefined ? {} : { errors }) } }, status);
}
