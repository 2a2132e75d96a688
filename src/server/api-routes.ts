/**
 * The routes of the API, which answer with JSON. A running daemon serves them on TCP and on the
 * control socket; a command calls them in its own process if no daemon holds the state. The content
 * of the answers comes from the views.
 */
import type { Context, Hono } from "hono";
import { withoutDirectionMarks } from "../render/text/clean-text.ts";
import { addAlertActions, type AlertRouteDeps } from "./alert-routes.ts";
import { addBackfill, type BackfillRouteDeps } from "./backfill-routes.ts";
import { checkQuery, describe } from "./openapi/describe.ts";
import { badPage, problem } from "./openapi/problem.ts";
import { addReplays, type ReplayRouteDeps } from "./replay-routes.ts";
import { addSilences, type SilenceRouteDeps } from "./silence-routes.ts";
import type { Actions } from "./contract/actions.ts";
import {
  eventFilters,
  eventQueryOf,
  reportFilters,
  reportQueryOf,
} from "./contract/event-query.ts";
import { explainView } from "./contract/explain-item.ts";
import { pageOf, pageValues } from "./contract/paging.ts";
import { flagValue, addressSchema, textValue } from "./contract/query.ts";
import { byOf, byValue, sinkValue } from "./contract/replay-request.ts";
import type { ApiViews } from "./contract/views.ts";

export interface ApiDeps
  extends SilenceRouteDeps,
    ReplayRouteDeps,
    BackfillRouteDeps,
    AlertRouteDeps {
  readonly views: ApiViews;
  readonly actions: Actions;
}

/**
 * Adds the routes of the API. `door` says how requests come in, such as `control socket`; logs and
 * the audit name it as the caller if a request names nobody.
 */
export function addApi(app: Hono, deps: ApiDeps, door: string): void {
  addReads(app, deps);
  addDays(app, deps);
  addPreviews(app, deps);
  addReload(app, deps, door);
  addPauses(app, deps, door);
  addSinkActions(app, deps, door);
  addDeadActions(app, deps, door);
  addSilences(app, deps, door);
  addAlertActions(app, deps, door);
  addReplays(app, deps, door);
  addBackfill(app, deps, door);
}

/**
 * Removes characters that change the direction of text from a JSON answer. Most answers contain
 * names and texts from posts, which must not reorder the text that people read around them.
 */
export async function removeDirectionMarks(c: Context): Promise<void> {
  if (!/^application\/(problem\+)?json/.test(c.res.headers.get("content-type") ?? "")) return;
  const text = await c.res.text();
  c.res = new Response(withoutDirectionMarks(text), c.res);
}

function addReads(app: Hono, { views, clock }: ApiDeps): void {
  app.get(
    "/api/v1/status",
    describe({ id: "readStatus", summary: "Returns the daemon's state.", answer: "Status" }),
    checkQuery(addressSchema({})),
    async (c) => c.json(await views.status()),
  );
  app.get(
    "/api/v1/budget",
    describe({
      id: "readBudget",
      summary: "Returns what the requests of the quota period cost.",
      answer: "Budget",
    }),
    checkQuery(addressSchema({})),
    async (c) => c.json(await views.budget()),
  );
  app.get(
    "/api/v1/watches",
    describe({ id: "listWatches", summary: "Lists the watches.", answer: "Watches" }),
    checkQuery(addressSchema(pageValues())),
    async (c) => {
      const { watches } = await views.status();
      const found = pageOf(watches, ({ id }) => id, c.req.valid("query"));
      return typeof found === "string"
        ? badPage(c, found)
        : c.json({ watches: found.page, next: found.next });
    },
  );
  app.get(
    "/api/v1/events",
    describe({
      id: "listEvents",
      summary: "Lists past events, newest first, with the state of each delivery.",
      answer: "Events",
    }),
    checkQuery(eventFilters()),
    async (c) => c.json(await views.events(eventQueryOf(c.req.valid("query"), clock.now()))),
  );
  app.get(
    "/api/v1/explain/:item",
    describe({
      id: "explainItem",
      summary: "Says what happened to an item, or why nothing is stored about it.",
      answer: "Explain",
      params: { item: "A tweet id, a link, a handle, a profile link or the id of an event." },
    }),
    checkQuery(addressSchema({})),
    async (c) => {
      const item = c.req.param("item");
      return c.json(explainView(item, await views.explain(item)));
    },
  );
  app.get(
    "/api/v1/dead",
    describe({ id: "listDead", summary: "Lists dead letters, oldest first.", answer: "Dead" }),
    checkQuery(addressSchema({ sink: sinkValue(), ...pageValues() })),
    async (c) => {
      const { sink, ...page } = c.req.valid("query");
      const { dead, ...view } = await views.dead(sink);
      const found = pageOf(dead, ({ message_id: id }) => id, page);
      return typeof found === "string"
        ? badPage(c, found)
        : c.json({ ...view, dead: found.page, next: found.next });
    },
  );
}

function addDays(app: Hono, { views }: ApiDeps): void {
  app.get(
    "/api/v1/activity",
    describe({
      id: "readActivity",
      summary: "Returns alerts and requests over time.",
      answer: "Activity",
    }),
    checkQuery(addressSchema({})),
    async (c) => c.json(await views.activity()),
  );
  app.get(
    "/api/v1/watches/:id/days",
    describe({
      id: "readWatchDays",
      summary: "Returns what a watch read, alerted and cost by day.",
      answer: "WatchDays",
      params: WATCH,
      problems: [404],
    }),
    checkQuery(addressSchema({})),
    async (c) => {
      const id = c.req.param("id");
      const view = await views.watchDays(id);
      return view === undefined ? unknownWatch(c, id) : c.json(view);
    },
  );
}

function addPreviews(app: Hono, { views, clock }: ApiDeps): void {
  app.get(
    "/api/v1/render",
    describe({
      id: "renderEvent",
      summary: "Shows an event as it would be sent to a sink now.",
      answer: "Render",
      problems: [404],
    }),
    checkQuery(
      addressSchema({
        event: textValue("The id of an event, or of a watch for its latest one."),
        sink: textValue("The name of a sink."),
      }),
    ),
    async (c) => {
      const { event = "", sink = "" } = c.req.valid("query");
      const view = await views.render({ what: event, sink });
      return typeof view === "string"
        ? problem(c, { status: 404, code: "RENDER_NOTHING", message: view })
        : c.json(view);
    },
  );
  app.get(
    "/api/v1/report",
    describe({
      id: "readReport",
      summary: "Returns what the watches found in a period, in numbers.",
      answer: "Report",
      problems: [404],
    }),
    checkQuery(reportFilters()),
    async (c) => {
      const wanted = reportQueryOf(c.req.valid("query"), clock.now());
      if (typeof wanted === "string")
        return problem(c, { status: 400, code: "SERVER_BAD_QUERY", message: wanted });
      const view = await views.report(wanted);
      return typeof view === "string"
        ? problem(c, { status: 404, code: "REPORT_UNKNOWN", message: view })
        : c.json(view);
    },
  );
}

function addReload(app: Hono, { actions }: ApiDeps, door: string): void {
  app.post(
    "/api/v1/reload",
    describe({
      id: "reload",
      summary: "Reloads the configuration completely or not at all.",
      answer: "Reloaded",
      problems: [422],
    }),
    checkQuery(addressSchema({})),
    async (c) => {
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
    },
  );
}

const WATCH = { id: "The id of the watch." };

function addPauses(app: Hono, deps: ApiDeps, door: string): void {
  app.post(
    "/api/v1/watches/:id/pause",
    describe({
      id: "pauseWatch",
      summary: "Pauses a watch.",
      answer: "Pause",
      params: WATCH,
      problems: [404],
    }),
    checkQuery(addressSchema({ by: byValue() })),
    (c) => setPaused(c, deps, { paused: true, by: byOf(c.req.valid("query").by, door) }),
  );
  app.post(
    "/api/v1/watches/:id/resume",
    describe({
      id: "resumeWatch",
      summary: "Resumes a watch.",
      answer: "Pause",
      params: WATCH,
      problems: [404, 409],
    }),
    checkQuery(
      addressSchema({
        from_now: flagValue("`true` raises no alert about what came while it was paused."),
        by: byValue(),
      }),
    ),
    (c) => {
      const { from_now: isFromNow = false, by } = c.req.valid("query");
      return setPaused(c, deps, { paused: false, isFromNow, by: byOf(by, door) });
    },
  );
}

const unknownWatch = (c: Context, id: string): Response =>
  problem(c, {
    status: 404,
    code: "WATCH_UNKNOWN",
    message: `there is no watch "${id.slice(0, 80)}"`,
  });

interface PauseChange {
  readonly paused: boolean;
  readonly isFromNow?: boolean;
  readonly by: string;
}

async function setPaused(
  c: Context,
  { actions, log }: ApiDeps,
  { paused, isFromNow = false, by }: PauseChange,
): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const view = await actions.setPaused(id, paused, { isFromNow, by });
  if (view === undefined) return unknownWatch(c, id);
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
}

function addSinkActions(app: Hono, { actions, log }: ApiDeps, door: string): void {
  app.post(
    "/api/v1/sinks/:name/resume",
    describe({
      id: "resumeSink",
      summary: "Tries a failing or disabled sink now.",
      answer: "ResumedSink",
      params: { name: "The name of the sink." },
      problems: [404],
    }),
    checkQuery(addressSchema({})),
    async (c) => {
      const name = c.req.param("name");
      const view = await actions.resumeSink(name, door);
      if (view === undefined)
        return problem(c, {
          status: 404,
          code: "SINK_UNKNOWN",
          message: `there is no sink "${name}"`,
        });
      log.info("sink resumed", { sink: name, was_disabled: view.was_disabled });
      return c.json(view);
    },
  );
}

function addDeadActions(app: Hono, { actions, log }: ApiDeps, door: string): void {
  app.post(
    "/api/v1/dead/ack",
    describe({
      id: "acknowledgeDead",
      summary: "Accepts the loss of dead letters.",
      answer: "Acknowledged",
    }),
    checkQuery(addressSchema({ sink: sinkValue() })),
    async (c) => {
      const { sink } = c.req.valid("query");
      const acknowledged = await actions.acknowledgeDead(sink, door);
      log.info("dead letters acknowledged", { sink: sink ?? "all", messages: acknowledged });
      return c.json({ acknowledged });
    },
  );
  app.post(
    "/api/v1/dead/replay",
    describe({ id: "resendDead", summary: "Sends dead letters again.", answer: "Resent" }),
    checkQuery(addressSchema({ sink: sinkValue(), by: byValue() })),
    async (c) => {
      const { sink, by } = c.req.valid("query");
      const request = { sink, by: byOf(by, door) };
      const resent = await actions.resendDead(request);
      log.info("dead letters are sent again", {
        sink: request.sink ?? "all",
        by: request.by,
        ...resent,
      });
      return c.json(resent);
    },
  );
}
