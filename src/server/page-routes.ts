/**
 * The pages: overview, alerts, one alert, one watch, one sink. They read what the API reads; the
 * forms on them are in page-form-routes.ts and its neighbours.
 */
import type { Context, Hono } from "hono";
import type { Clock } from "../model/clock.ts";
import { yieldToEventLoop } from "../model/steps.ts";
import { withoutDirectionMarks } from "../render/text/clean-text.ts";
import { readEventQuery } from "./contract/event-query.ts";
import { explainView } from "./contract/explain-item.ts";
import type { Views } from "./contract/views.ts";
import { describe } from "./openapi/describe.ts";
import { doneText } from "./contract/done-words.ts";
import { type Problem, problem, PROBLEM_TITLES } from "./openapi/problem.ts";
import { PAGE_POLICY } from "./page/page-assets.ts";
import { renderPage } from "./page/page.ts";
import { renderAlertPage } from "./page/page-alert.ts";
import { renderBadEventsPage, renderEventsPage } from "./page/page-events.ts";
import { renderMissingPage } from "./page/page-missing.ts";
import { renderProblemPage } from "./page/page-problem.ts";
import { renderSinkPage } from "./page/page-sink.ts";
import { MAX_WATCHES } from "./page/page-tables.ts";
import { renderWatchesPage } from "./page/page-watches.ts";
import { renderWatchPage } from "./page/page-watch.ts";

/** How many alerts a page lists. */
const PAGE_OF_EVENTS = "50";

export interface PageDeps {
  readonly clock: Clock;
  readonly views: Views;
}

export function addPages(app: Hono, deps: PageDeps): void {
  addOverview(app, deps);
  addAlertPages(app, deps);
  addWatchPage(app, deps);
  addSinkPage(app, deps);
}

/**
 * Answers with a page. The policy accepts only its own style and script. Characters that change the
 * direction of text are removed here, because a page is too large to be read out of its answer.
 */
export function answerPage(c: Context, page: string, status: 200 | Problem["status"] = 200) {
  c.header("Content-Security-Policy", PAGE_POLICY);
  return c.html(withoutDirectionMarks(page), status);
}

/** Returns the relative way from the address that was asked for to the overview. */
export const rootOf = (c: Context): string => "../".repeat(c.req.path.split("/").length - 2);

const NO_PAGES = /^\/(?:api\/|metrics|healthz|readyz)/;

/** Refuses with a page where a browser asked for one, and else with a problem document. */
export function refuse(c: Context, refused: Problem): Response {
  const isBrowser =
    !NO_PAGES.test(c.req.path) && (c.req.header("accept") ?? "").includes("text/html");
  if (!isBrowser) return problem(c, refused);
  const { status, message } = refused;
  const page = renderProblemPage({
    title: PROBLEM_TITLES[status],
    problems: [message],
    root: rootOf(c),
  });
  return answerPage(c, page, status);
}

const page = (id: string, summary: string, params?: Readonly<Record<string, string>>) =>
  describe({
    id,
    summary,
    answer: "text/html",
    ...(params === undefined ? {} : { params, also: [404] }),
  });

function addOverview(app: Hono, { views, clock }: PageDeps): void {
  app.get("/", page("showStatus", "The overview."), async (c) => {
    const status = await views.status({ maxWellWatches: MAX_WATCHES });
    const activity = await views.activity();
    const watchNames = views.watchNames();
    const done = doneText(c.req.query("done"));
    await yieldToEventLoop();
    return answerPage(c, renderPage({ status, watchNames, activity, nowMs: clock.now(), done }));
  });
}

function addAlertPages(app: Hono, { views, clock }: PageDeps): void {
  const past = describe({
    id: "showEvents",
    summary: "The page of past events, with the filters of `listEvents`.",
    answer: "text/html",
    also: [400],
  });
  app.get("/events", past, async (c) => {
    const { done, ...asked } = c.req.query();
    const query = readEventQuery({ limit: PAGE_OF_EVENTS, ...asked }, clock.now());
    if (typeof query === "string") return answerPage(c, renderBadEventsPage(query, asked), 400);
    const found = await views.events(query);
    return answerPage(c, renderEventsPage(found, asked, clock.now(), doneText(done)));
  });
  const showItem = async (c: Context, item: string, root: string) => {
    const found = explainView(item, await views.explain(item));
    const [line] = found.verdicts;
    const id = found.verdicts.length === 1 ? line?.event?.id : undefined;
    const event = await views.event(id ?? item);
    const view = {
      ...{ found, event, nowMs: clock.now(), root },
      sinks: views.sinkNames(),
      done: doneText(c.req.query("done")),
    };
    const isKnown = found.verdicts.length > 0 || event !== undefined;
    return answerPage(c, renderAlertPage(view), isKnown ? 200 : 404);
  };
  app.get(
    "/alerts/:id",
    page("showAlert", "What happened to an alert, in the order of time.", {
      id: "The id of the event.",
    }),
    (c) => showItem(c, c.req.param("id"), "../"),
  );
  app.get(
    "/alerts",
    describe({
      id: "showItem",
      summary: "What happened to the `item`: a link, an id or a handle.",
      answer: "text/html",
      also: [400, 404],
    }),
    async (c) => {
      const item = (c.req.query("item") ?? "").trim();
      if (item !== "") return showItem(c, item, "");
      const missing = "write the link or the id of a post, or a handle";
      return answerPage(c, renderBadEventsPage(missing), 400);
    },
  );
}

function addWatchPage(app: Hono, { views, clock }: PageDeps): void {
  app.get("/watches", page("showWatches", "All watches, or those with the `name`."), (c) =>
    answerPage(c, renderWatchesPage(views.watchNames(), (c.req.query("name") ?? "").trim())),
  );
  const params = { id: "The id of the watch." };
  app.get("/watches/:id", page("showWatch", "The page of one watch.", params), async (c) => {
    const id = c.req.param("id");
    const watched = views.watchNames().includes(id) ? await views.watch(id) : undefined;
    if (watched === undefined) return answerPage(c, renderMissingPage("watch", id), 404);
    const found = await views.watchDays(id);
    return answerPage(
      c,
      renderWatchPage({
        ...watched,
        ...{ days: found?.days ?? [], nowMs: clock.now() },
        done: doneText(c.req.query("done")),
      }),
    );
  });
}

function addSinkPage(app: Hono, { views, clock }: PageDeps): void {
  const params = { name: "The name of the sink." };
  app.get("/sinks/:name", page("showSink", "The page of one sink.", params), async (c) => {
    const name = c.req.param("name");
    const sink = views.sinkNames().includes(name)
      ? (await views.sinks()).find((one) => one.name === name)
      : undefined;
    if (sink === undefined) return answerPage(c, renderMissingPage("sink", name), 404);
    const dead = await views.dead(name);
    const refusals = await views.refusals(name);
    return answerPage(
      c,
      renderSinkPage({
        sink,
        dead,
        refusals,
        nowMs: clock.now(),
        done: doneText(c.req.query("done")),
      }),
    );
  });
}
