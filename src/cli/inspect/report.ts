/** `chirpwatch report`: shows what the watches found in a period, in numbers. */
import { type Command, Option } from "commander";
import { isoTime } from "../../model/clock.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { ReportView } from "../../model/report.ts";
import { reportLines, reportTitle } from "../../render/report-text.ts";
import { readReportQuery } from "../../server/contract/event-query.ts";
import { ask, queryText } from "../access/ask.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";

interface Options {
  readonly config: string;
  readonly watch?: string;
  readonly since: string;
  readonly format: string;
  readonly json?: true;
}

export function addReport(program: Command, context: CliContext): void {
  program
    .command("report")
    .argument("[name]", "name of a report in the configuration")
    .description(
      "show what the watches found in a period: counts, authors, posts; sends no request to the service",
    )
    .option(...CONFIG_OPTION)
    .option("--watch <id>", "report on this watch instead of a configured report")
    .option("--since <time>", "from this time on, or how long ago, like 24h", "7d")
    .addOption(
      new Option("--format <format>", "text or json").choices(["text", "json"]).default("text"),
    )
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch report weekly\n  chirpwatch report --watch brand-mentions --since 24h --format json",
    )
    .action((name: string | undefined, options: Options) => report(context, name, options));
}

async function report(
  context: CliContext,
  name: string | undefined,
  { config, watch, since, format, json }: Options,
): Promise<void> {
  const query = readReportQuery({ name, watch, since }, context.clock.now());
  if (typeof query === "string")
    throw new ExitError(EXIT.usage, "REPORT_BAD_QUERY", query, {
      hint: "chirpwatch report --help shows examples",
    });
  const place = await findDaemon(context, config);
  const asked = queryText({ name, watch, since: isoTime(query.sinceMs) });
  const view = await ask<ReportView>(context, place, {
    path: `/api/v1/report?${asked}`,
  });
  if (json === true || format === "json") context.out(JSON.stringify(view, undefined, 2));
  else context.out([reportTitle(view), ...reportLines(view)].join("\n"));
}
