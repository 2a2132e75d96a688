/**
 * The routes of a working daemon, which are the same over TCP and over the control socket. Decides
 * on paths, status codes and headers; the content comes from the views.
 */
import type { IncomingMessage } from "node:http";
import { Hono, type Context } from "hono";
import type { Clock } from "../model/clock.ts";
import { ChirpwatchError } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import { addApi, type ApiDeps, removeDirectionMarks } from "./api-routes.ts";
import { type TcpAccess, refuseCaller, refuseOrigin, type Refusal } from "./access/guard.ts";
import { describe } from "./openapi/describe.ts";
import { addDocument } from "./openapi/openapi.ts";
import { addPageForms } from "./page-form-routes.ts";
import { addPages, refuse } from "./page-routes.ts";
import { createProbe } from "./contract/probe.ts";
import { addAlertForms } from "./alert-form-routes.ts";
import { addSilencePages } from "./form-routes.ts";
import { addTrialForms } from "./trial-form-routes.ts";
import { addTailRoute, type TailRouteDeps } from "./tail-routes.ts";
import type { WrongTokens } from "./access/wrong-tokens.ts";
import type { Trials } from "./contract/trials.ts";
import type { Health, Views } from "./contract/views.ts";

/**
 * How callers are checked. `socket`: everyone who can open the socket is allowed. `tcp`: a caller
 * needs the token or, if no token is configured, must use a loopback host name or that of
 * `server.public_url`.
 */
export type Access =
  | { readonly kind: "socket" }
  | (TcpAccess & { readonly kind: "tcp"; readonly wrongTokens?: WrongTokens });

export interface HttpRouteDeps extends ApiDeps, TailRouteDeps {
  readonly clock: Clock;
  readonly views: Views;
  readonly trials: Trials;
}

export function createRoutes(deps: HttpRouteDeps, access: Access): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    await removeDirectionMarks(c);
    c.header("Cache-Control", "no-store");
    c.header("X-Content-Type-Options", "nosniff");
    // With `no-referrer`, browsers would send the page's own forms with the Origin `null`, and the
    // server would refuse them as forms of another site.
    c.header("Referrer-Policy", "same-origin");
  });
  addHealth(app, deps);
  app.use(async (c, next) => refusalOf(c, access, deps.log) ?? next());
  addMetrics(app, deps);
  addPages(app, deps);
  addPageForms(app, deps, pageOf(access));
  addTrialForms(app, deps, pageOf(access));
  addSilencePages(app, deps, pageOf(access));
  addAlertForms(app, deps, pageOf(access));
  addTailRoute(app, deps);
  addApi(app, deps, callerOf(access));
  addDocument(app);
  app.notFound((c) =>
    refuse(c, {
      status: 404,
      code: "SERVER_NO_SUCH_PATH",
      message: "there is nothing at this path",
    }),
  );
  app.onError((error, c) => {
    deps.log.error("a request to the server failed", { path: c.req.path, error });
    const code = error instanceof ChirpwatchError ? error.code : "SERVER_FAILED";
    return refuse(c, { status: 500, code, message: "the daemon could not answer: see its log" });
  });
  return app;
}

/**
 * Adds the health routes. They are added before the check of token and Host, because probes send
 * neither.
 */
function addHealth(app: Hono, { views, clock }: HttpRouteDeps): void {
  const probe = createProbe(views, clock);
  const answer = (c: Context, good: boolean, health: Health) =>
    c.json({ status: good ? "ok" : "failing", reason: health.reason }, good ? 200 : 503);
  const health = (id: string, summary: string) =>
    describe({ id, summary, answer: "Health", also: [503], isOpen: true });
  app.get("/healthz", health("probeLife", "Whether the process can progress."), async (c) => {
    const health = await probe();
    return answer(c, health.live, health);
  });
  app.get("/readyz", health("probeWork", "Whether the loops run."), async (c) => {
    const health = await probe();
    return answer(c, health.live && health.ready, health);
  });
}

function addMetrics(app: Hono, { views }: HttpRouteDeps): void {
  const metrics = describe({
    id: "readMetrics",
    summary: "The metrics in the exposition format of Prometheus.",
    answer: "text/plain",
  });
  app.get("/metrics", metrics, async (c) =>
    c.body(await views.metrics(), 200, {
      "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
    }),
  );
}

/**
 * Returns the name of a caller who changes something, for logs and the audit. With a token
 * configured, only a caller with `server.token` can change something.
 */
const callerOf = (access: Access): string =>
  access.kind === "socket"
    ? "control socket"
    : access.token === undefined
      ? "API"
      : "API with server.token";

/** Returns the name of the page as a caller, for logs and the audit. */
const pageOf = (access: Access): string =>
  access.kind === "socket" || access.token === undefined ? "page" : "page with server.token";

/**
 * Returns the address of the other end of the connection. Headers such as X-Forwarded-For are
 * ignored, because callers can forge them.
 */
function addressOf(c: Context): string {
  const env = c.env as { readonly incoming?: IncomingMessage } | undefined;
  return env?.incoming?.socket.remoteAddress ?? "an unknown address";
}

function refusalOf(c: Context, access: Access, log: Log): Response | undefined {
  const header = (name: string) => c.req.header(name);
  const changes = c.req.method !== "GET" && c.req.method !== "HEAD";
  const refusal: Refusal | undefined =
    (access.kind === "tcp"
      ? refuseCaller(header, access, changes ? "change" : "read")
      : undefined) ?? (changes ? refuseOrigin(header) : undefined);
  if (refusal === undefined) return undefined;
  // A browser first sends no token and is then asked for one, so only a wrong token is counted.
  if (access.kind === "tcp" && refusal.status === 401 && header("authorization") !== undefined)
    access.wrongTokens?.add(addressOf(c), log);
  if (refusal.code === "SERVER_READ_ONLY")
    log.warn("a change was refused, because server.read_token may only read", {
      path: c.req.path,
      from: addressOf(c),
    });
  if (refusal.status === 401)
    c.header("WWW-Authenticate", 'Basic realm="chirpwatch", charset="UTF-8"');
  return refuse(c, refusal);
}
