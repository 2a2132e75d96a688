/**
 * `chirpwatch route test`: shows which routes and sinks an event would take, according to the
 * configuration alone.
 */
import type { Command } from "commander";
import { testRoute } from "../../operate/alerts/route-test.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { RoutedSinkView, RouteTestView } from "../../server/schema/route-view.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION, requireConfig } from "../terminal/context.ts";
import { formatTable } from "../terminal/table.ts";

export function addRoute(program: Command, context: CliContext): void {
  const route = program
    .command("route")
    .description("show which routes and sinks an event would take")
    .addHelpText("after", "\nExample:\n  chirpwatch route test watch=brand-mentions lang=en");
  route
    .command("test")
    .description(
      "show which routes and sinks an event with these labels would take now (routes with `where` are skipped); sends nothing",
    )
    .argument("<labels...>", "LABEL=VALUE; watch=ID adds the labels of that watch")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nExamples:\n  chirpwatch route test watch=brand-mentions lang=en\n  chirpwatch route test team=comms severity=critical",
    )
    .action((labels: readonly string[], { config, json }: { config: string; json?: true }) =>
      test(context, labels, config, json === true),
    );
}

async function test(
  context: CliContext,
  labels: readonly string[],
  configPath: string,
  asJson: boolean,
): Promise<void> {
  const config = await requireConfig(context, configPath, { lenientSecrets: true });
  const view = testRoute(labels, config, context.clock.now());
  if (!("sinks" in view))
    throw new ExitError(EXIT.usage, "ROUTE_BAD_LABELS", view.join("\n"), {
      hint: "chirpwatch route test --help shows examples",
    });
  context.out(asJson ? JSON.stringify(view, undefined, 2) : formatRouteTest(view));
}

function formatRouteTest({ labels, sinks }: RouteTestView): string {
  const head = `labels: ${Object.entries(labels)
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join(" ")}`;
  if (sinks.length === 0) return `${head}\n\nNo sink: no route takes it.`;
  const rows = sinks.map((sink) => [
    sink.sink,
    placeText(sink, labels),
    sink.group_by.join(", ") || "-",
    muteText(sink),
  ]);
  return `${head}\n\n${formatTable(
    ["SINK", "ROUTE", "GROUPED BY", ""].map((title) => ({ title })),
    rows,
  )}`;
}

function placeText({ route, matchers }: RoutedSinkView, labels: RouteTestView["labels"]): string {
  if (route === null) return labels["type"] === "daemon" ? "ops.sink" : "the watch's own sink";
  return matchers.length === 0 ? route : `${route} (${matchers.join(", ")})`;
}

function muteText({ muted_by: by, held_until: until }: RoutedSinkView): string {
  if (by === null) return "";
  return until === null
    ? `muted now by ${by}: not sent`
    : `held now by ${by} until ${until.slice(0, 16).replace("T", " ")} UTC`;
}
