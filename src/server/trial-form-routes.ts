/**
 * The pages that try a watch and read its past. Both cost requests: the first page says how many,
 * and its form pays for them.
 */
import type { Context, Hono } from "hono";
import { errorText } from "../model/errors.ts";
import { doneText } from "./contract/done-words.ts";
import { parseTime, TIMES } from "./contract/event-query.ts";
import type { Trials } from "./contract/trials.ts";
import type { Views } from "./contract/views.ts";
import { describe } from "./openapi/describe.ts";
import { type PageFormDeps, problemPage, received } from "./page-form-routes.ts";
import { answerPage } from "./page-routes.ts";
import { renderMissingPage } from "./page/page-missing.ts";
import { renderBackfillPage, renderTestedPage, renderTestPage } from "./page/page-trials.ts";

export interface TrialFormDeps extends PageFormDeps {
  readonly trials: Trials;
  readonly views: Pick<Views, "watchNames">;
}

const ROOT = "../../";
const PARAMS = { id: "The id of the watch." };
const DEFAULT_SINCE = "24h";
const DEFAULT_MAX = 20;
/** A page waits until everything is read, so it reads no more than this. */
const MAX_REQUESTS = 100;

export function addTrialForms(app: Hono, deps: TrialFormDeps, door: string): void {
  addTest(app, deps, door);
  addBackfillPages(app, deps, door);
}

const page = (id: string, summary: string) =>
  describe({ id, summary, answer: "text/html", params: PARAMS, also: [400, 404] });

const form = (id: string, summary: string) =>
  describe({
    ...{ id, summary, answer: "text/html", params: PARAMS, also: [400, 404, 408, 413] },
    body: "application/x-www-form-urlencoded",
  });

const missing = (c: Context): Response =>
  answerPage(c, renderMissingPage("watch", c.req.param("id") ?? "", ROOT), 404);

function addTest(app: Hono, deps: TrialFormDeps, door: string): void {
  const { trials } = deps;
  app.get("/watches/:id/test", page("showTest", "What a test of a watch costs."), async (c) => {
    const id = c.req.param("id");
    const price = await trials.testPrice(id);
    return price === undefined ? missing(c) : answerPage(c, renderTestPage(id, price));
  });
  const test = form("submitTest", "Polls a watch once; stores and sends nothing.");
  app.post("/watches/:id/test", test, (c) =>
    received(c, deps, door, async ({ by }) => {
      const id = c.req.param("id");
      try {
        const tested = await trials.testWatch(id, by);
        return tested === undefined ? missing(c) : answerPage(c, renderTestedPage(id, tested));
      } catch (error) {
        return problemPage(c, `${id} could not be tested`, [errorText(error)], ROOT);
      }
    }),
  );
}

function addBackfillPages(app: Hono, deps: TrialFormDeps, door: string): void {
  const { trials, clock, views } = deps;
  const show = page("showBackfill", "What reading the past of a watch costs.");
  app.get("/watches/:id/backfill", show, async (c) => {
    const id = c.req.param("id");
    if (!views.watchNames().includes(id)) return missing(c);
    const since = c.req.query("since") ?? DEFAULT_SINCE;
    const sinceMs = parseTime(since.trim(), clock.now());
    if (sinceMs === undefined) return badSince(c, id, since);
    const price = await trials.backfillPrice(id, sinceMs);
    const done = doneText(c.req.query("done"));
    return answerPage(c, renderBackfillPage({ id, since, price, done, max: DEFAULT_MAX }));
  });
  const read = form("submitBackfill", "Reads the past of a watch and turns it into alerts.");
  app.post("/watches/:id/backfill", read, (c) =>
    received(c, deps, door, async ({ by, fields }) => {
      const id = c.req.param("id");
      if (!views.watchNames().includes(id)) return missing(c);
      const since = fields.get("since") ?? "";
      const sinceMs = parseTime(since.trim(), clock.now());
      if (sinceMs === undefined) return badSince(c, id, since);
      const maxRequests = Number(fields.get("max_requests") ?? DEFAULT_MAX);
      if (!Number.isInteger(maxRequests) || maxRequests < 1 || maxRequests > MAX_REQUESTS)
        return problemPage(
          c,
          "Nothing was read",
          [
            `the most requests must be a whole number from 1 to ${MAX_REQUESTS}; the command \`chirpwatch backfill\` takes more`,
          ],
          ROOT,
        );
      const outcome = await trials.backfill({ watchId: id, sinceMs, maxRequests, by });
      if (outcome === undefined) return missing(c);
      return answerPage(c, renderBackfillPage({ id, since, max: maxRequests, outcome }));
    }),
  );
}

const badSince = (c: Context, id: string, since: string): Response =>
  problemPage(
    c,
    `The past of ${id}`,
    [`since must be ${TIMES}, not "${since.slice(0, 80)}"`],
    ROOT,
  );
