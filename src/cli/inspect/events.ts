/** `chirpwatch events`: lists past events with the state of their deliveries. */
import { type Command, Option } from "commander";
import { isoTime } from "../../model/clock.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { DELIVERY_STATES } from "../../model/history.ts";
import {
  type EventQueryText,
  MAX_EVENTS,
  readEventQuery,
} from "../../server/contract/event-query.ts";
import type { ReplayRecordsView } from "../../server/schema/replay-view.ts";
import type { EventEntry, EventsView } from "../../server/schema/event-view.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";
import { formatEvents, formatEventsCsv, formatReplays } from "./events-text.ts";
import { type DaemonPlace, findDaemon } from "../access/find-daemon.ts";
import { ask } from "../access/ask.ts";

interface Options {
  readonly config: string;
  readonly since?: string;
  readonly until?: string;
  readonly watch?: string;
  readonly alerts?: true;
  readonly author?: string;
  readonly text?: string;
  readonly sink?: string;
  readonly state?: string;
  readonly acknowledged?: string;
  readonly notRelevant?: string;
  readonly limit: string;
  readonly json?: true;
  readonly csv?: true;
  readonly replays?: true;
}

const DEFAULT_LIMIT = 50;
const MAX_LISTED = 100_000;

export function addEvents(program: Command, context: CliContext): void {
  program
    .command("events")
    .description("list past events, newest first, and what happened to each")
    .option(...CONFIG_OPTION)
    .option(
      "--since <time>",
      "found at this time or later: 2026-07-27T09:00:00Z, 2026-07-27, or how long ago, like 2h",
    )
    .option("--until <time>", "found before this time")
    .option("--watch <id>", "only events of this watch; separate several with commas")
    .option("--alerts", "leave out the daemon's own events")
    .option("--author <account>", "by or about this account: handle, id or profile link")
    .option("--text <words>", "whose text contains these words")
    .option("--sink <name>", "with a delivery to this sink")
    .option("--state <state>", `with a delivery that is ${DELIVERY_STATES.join(", ")}`)
    .option("--acknowledged <yes|no>", "that somebody has acknowledged, or nobody")
    .option("--not-relevant <yes|no>", "that somebody has marked as not relevant, or nobody")
    .option("--limit <count>", "list at most this many events", String(DEFAULT_LIMIT))
    .addOption(new Option(...JSON_OPTION).conflicts("csv"))
    .option("--csv", "print comma-separated values")
    .addOption(
      new Option(
        "--replays",
        "list the replays that operators made instead, with their times",
      ).conflicts([
        "since",
        "until",
        "watch",
        "alerts",
        "author",
        "text",
        "sink",
        "state",
        "acknowledged",
        "notRelevant",
        "csv",
      ]),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch events --since 2h --watch brand-mentions\n  chirpwatch events --state summarised --csv",
    )
    .action((options: Options) => events(context, options));
}

async function events(context: CliContext, options: Options): Promise<void> {
  const { config: configPath, limit: limitText, json, csv, replays, ...filtered } = options;
  const { alerts, notRelevant, ...asked } = filtered;
  const limit = Number(limitText);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LISTED)
    throw usage(`--limit must be a whole number from 1 to ${MAX_LISTED}, not "${limitText}"`);
  if (replays === true) return listReplays(context, configPath, { limit, asJson: json === true });
  const filters = {
    ...asked,
    ...(alerts === true ? { alerts: "true" } : {}),
    ...(notRelevant === undefined ? {} : { "not-relevant": notRelevant }),
  };
  const query = readEventQuery(filters, context.clock.now());
  if (typeof query === "string") throw usage(query);
  const { sinceMs, untilMs } = query;
  // A relative time such as `2h` must mean the same moment for every page.
  const since = sinceMs === undefined ? {} : { since: isoTime(sinceMs) };
  const until = untilMs === undefined ? {} : { until: isoTime(untilMs) };
  const place = await findDaemon(context, configPath);
  const found = await collect(context, place, { ...filters, ...since, ...until }, limit);
  if (json === true) context.out(JSON.stringify({ events: found }, undefined, 2));
  else context.out(csv === true ? formatEventsCsv(found) : formatEvents(found));
}

async function listReplays(
  context: CliContext,
  configPath: string,
  { limit, asJson }: { readonly limit: number; readonly asJson: boolean },
): Promise<void> {
  const place = await findDaemon(context, configPath);
  const { replays } = await ask<ReplayRecordsView>(context, place, { path: "/api/v1/replays" });
  const shown = replays.slice(0, limit);
  context.out(asJson ? JSON.stringify({ replays: shown }, undefined, 2) : formatReplays(shown));
}

const usage = (problem: string): ExitError =>
  new ExitError(EXIT.usage, "EVENTS_BAD_QUERY", problem, {
    hint: "chirpwatch events --help shows examples",
  });

/** Collects the events page by page, because each answer holds a limited number. */
async function collect(
  context: CliContext,
  place: DaemonPlace,
  filters: EventQueryText,
  limit: number,
): Promise<readonly EventEntry[]> {
  const found: EventEntry[] = [];
  let before: string | undefined;
  do {
    const query = {
      ...filters,
      limit: String(Math.min(limit - found.length, MAX_EVENTS)),
      ...(before === undefined ? {} : { before }),
    };
    const page = await ask<EventsView>(context, place, {
      path: `/api/v1/events?${new URLSearchParams(query).toString()}`,
    });
    found.push(...page.events);
    before = page.next ?? undefined;
  } while (before !== undefined && found.length < limit);
  return found;
}
