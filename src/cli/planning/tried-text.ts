/**
 * Writes what a test poll found. Items that would raise an alert look as the console sink shows
 * them; each other item has a line with the reason why not.
 */
import { createReader } from "../../operate/create-reader.ts";
import type { TriedItem } from "../../operate/try/try-items.ts";
import type { TriedTarget } from "../../operate/try/try-watch.ts";
import { isoTime } from "../../model/clock.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import { consoleSink } from "../../sinks/console.ts";
import type { SinkDeps } from "../../sinks/kind/sink-type.ts";
import { plural } from "../terminal/table.ts";

const MAX_TEXT = 80;

/** Writes problems, alerts and filtered items through `deps.write`. */
export async function formatTried(tried: readonly TriedTarget[], deps: SinkDeps): Promise<void> {
  const items = tried.flatMap((target) => target.items);
  const news = items.filter(({ verdict }) => verdict === "news");
  const filtered = items.filter(({ verdict }) => verdict === "filtered");
  for (const { name, problem } of tried)
    if (problem !== "") await deps.write(`${name}: ${problem}`);
  await deps.write(
    `\nWould raise an alert, if new: ${news.length} of ${plural(items.length, "item")} on the first page`,
  );
  await writeAlerts(news, deps);
  if (filtered.length > 0)
    await deps.write(
      [
        "Would raise no alert:",
        ...filtered.map((item) => filteredLine(item, deps.linksHost)),
        "",
      ].join("\n"),
    );
}

/** Writes the alerts, oldest first, in the order in which they would be sent. */
async function writeAlerts(news: readonly TriedItem[], deps: SinkDeps): Promise<void> {
  const sink = await consoleSink.create("test", {}, deps);
  for (const { itemId, event } of news.toSorted(
    (a, b) => a.event.occurredAtMs - b.event.occurredAtMs,
  )) {
    const events = [{ event, watches: [event.watch] }];
    const body = sink.render({ events, sample: false, read: createReader(deps.linksHost) });
    const message = {
      id: itemId,
      sink: "test",
      groupKey: itemId,
      sealedAtMs: event.detectedAtMs,
      body,
    };
    await sink.send(message, AbortSignal.timeout(60_000));
  }
}

function filteredLine({ event, detail }: TriedItem, linksHost: string): string {
  const { title, body } = createReader(linksHost)({ event, watches: [event.watch] });
  const text = cleanLine(`${title}: ${body}`);
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return `  ${isoTime(event.occurredAtMs).slice(0, 19).replace("T", " ")}  ${short}\n      because ${cleanLine(detail)}`;
}
