/**
 * The tools of `chirpwatch mcp`. Each asks the routes that read, as commands do: of the running
 * daemon, or in this process over the state, which is then opened for reading only. None asks the
 * service or changes anything.
 */
import { z } from "zod";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Json } from "../../model/json.ts";
import { readEventQuery } from "../../server/contract/event-query.ts";
import type { EventsView } from "../../server/schema/event-view.ts";
import type { StatusView, StoppedView } from "../../server/schema/status-view.ts";
import { ask, queryText } from "../access/ask.ts";
import { findDaemon } from "../access/find-daemon.ts";
import type { CliContext } from "../terminal/context.ts";
import { listPages, readPage } from "./docs-pages.ts";
import { marked, markedEntry, markedLine } from "./untrusted-text.ts";

export interface ReadTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Returns what is sent as JSON. The arguments have passed `input`. @throws ExitError */
  answer(given: unknown): Promise<unknown>;
}

const MAX_EVENTS = 100;
const MAX_WATCHES = 200;

const text = (description: string) => z.string().max(500).optional().describe(description);
const count = (most: number, usual: number) =>
  z.int().min(1).max(most).default(usual).describe(`At most this many, ${usual} unless given.`);

export function createTools(context: CliContext, configPath: string): readonly ReadTool[] {
  const get: Get = async <T>(path: string): Promise<T> =>
    ask<T>(context, await findDaemon(context, configPath), { path });
  return [
    tool(
      "status",
      "What state the daemon, its sinks, its quota and its last alerts are in, and what needs attention.",
      z.strictObject({}),
      async () => {
        const {
          watches,
          recent_events: events,
          ...view
        } = await get<StatusView | StoppedView>("/api/v1/status");
        return {
          ...(marked(view) as object),
          ...{ watches: watches.length, recent_events: events.map(markedLine) },
        };
      },
    ),
    tool(
      "watches",
      "The watches with their state, targets, schedule and cost. `next` of an answer is the `cursor` of the next call.",
      z.strictObject({ limit: count(MAX_WATCHES, 50), cursor: text("The `next` of an answer.") }),
      async ({ limit, cursor }) =>
        marked(await get<Json>(`/api/v1/watches?${queryText({ limit: String(limit), cursor })}`)),
    ),
    eventsTool(context, get),
    tool(
      "explain",
      "Says of one post or account what each watch made of it: alerted and where that went, or why not.",
      z.strictObject({
        item: z
          .string()
          .min(1)
          .max(500)
          .describe("Tweet id or link, user id, handle or profile link."),
      }),
      async ({ item }) => marked(await get<Json>(`/api/v1/explain/${encodeURIComponent(item)}`)),
    ),
    tool(
      "plan",
      "Which polls the configuration needs, what they cost a month against the quota, and how late alerts will be.",
      z.strictObject({}),
      async () => {
        const { planWithoutRequests } = await import("../planning/plan.ts");
        return planWithoutRequests(context, configPath);
      },
    ),
    tool(
      "budget",
      "What the quota period has cost so far, by watch and endpoint, and what is expected until its end.",
      z.strictObject({}),
      async () => marked(await get<Json>("/api/v1/budget")),
    ),
    tool(
      "docs",
      "The documentation: the list of its pages without `page`, or the text of one page.",
      z.strictObject({ page: text("The name of a page, such as `delivery`.") }),
      async ({ page }) =>
        page === undefined
          ? { pages: await listPages(context.files) }
          : { page, text: await readPage(context.files, page) },
    ),
  ];
}

type Get = <T>(path: string) => Promise<T>;

const eventsTool = (context: CliContext, get: Get): ReadTool =>
  tool(
    "events",
    "Searches past alerts, newest first, and says what became of each. All filters given must match.",
    z.strictObject({
      since: text("Found at this time or later: 2026-07-27T09:00:00Z, or how long ago, like 2h."),
      until: text("Found before this time."),
      watch: text("The id of a watch; several separated by commas."),
      author: text("By or about this account: handle, id or profile link."),
      text: text("Text that occurs in the alert."),
      state: text("With a delivery in this state, such as sent, dead, muted or silenced."),
      acknowledged: text("yes or no."),
      limit: count(MAX_EVENTS, 20),
      cursor: text("The `next` of an answer."),
    }),
    async ({ limit, ...filters }) => {
      const query = { ...filters, limit: String(limit) };
      const given = Object.fromEntries(
        Object.entries(query).filter((entry) => entry[1] !== undefined),
      );
      const problem = readEventQuery(given, context.clock.now());
      if (typeof problem === "string") throw refused(problem);
      const found = await get<EventsView>(`/api/v1/events?${queryText(query)}`);
      const { next, searched_to } = found;
      return { events: found.events.map(markedEntry), next, searched_to };
    },
  );

/** Ties the schema of the arguments to the type that `answer` takes. */
const tool = <Input extends z.ZodObject>(
  name: string,
  description: string,
  input: Input,
  answer: (given: z.output<Input>) => Promise<unknown>,
): ReadTool => ({
  name,
  description,
  input,
  answer: (given) => answer(given as z.output<Input>),
});

const refused = (problem: string): ExitError =>
  new ExitError(EXIT.usage, "EVENTS_BAD_QUERY", problem, {
    hint: "The tool's schema says what each filter takes.",
  });
