/** What someone should look at, in one list: only there when there is something to do. */
import { Html, html } from "./html.ts";
import { counted, when } from "./page-words.ts";
import type { StatusView, TargetView, WatchView } from "./views.ts";

/** A page of the same sentence helps nobody; the JSON has them all. */
const MAX_LINES = 25;

/** Someone must act before this watch tells everything it should. An account that is not indexed is a fact, not trouble. */
export const isTroubled = (watch: WatchView): boolean => watch.problem !== "" || watch.targets.some(isUnreadable);

export const isUnreadable = (target: TargetView): boolean => target.status === "unavailable" || target.status === "misconfigured";

export function attention(status: StatusView, nowMs: number): Html {
  const lines = [
    ...reasons(status),
    ...refusedReload(status, nowMs),
    ...openBreakers(status),
    ...troubledWatches(status),
    ...warnings(status),
  ];
  if (lines.length === 0) return html``;
  const shown = lines.slice(0, MAX_LINES);
  const more = lines.length - shown.length;
  return html`<section class="card attention" aria-labelledby="attention"><h2 id="attention">Needs attention</h2>
<ul>${shown.map((line) => html`<li>${line}</li>`)}${more > 0 ? html`<li>and ${counted(more, "more")}: see <a href="/api/v1/status">the status as JSON</a></li>` : undefined}</ul></section>`;
}

const reasons = (status: StatusView): Html[] => status.reasons.map((reason) => html`${reason}`);

function refusedReload({ config }: StatusView, nowMs: number): Html[] {
  if (config.failed_reload === null) return [];
  const { at, errors } = config.failed_reload;
  return [
    html`The changed configuration was refused ${when(at, nowMs)}; the old one stays in force.`,
    ...errors.map((error) => html`${error}`),
  ];
}

const openBreakers = (status: StatusView): Html[] =>
  status.sinks
    .filter((sink) => sink.breaker === "open")
    .map((sink) => html`<strong>${sink.name}</strong> takes no messages: ${sink.reason}. ${counted(sink.waiting, "alert")} kept.`);

const troubledWatches = (status: StatusView): Html[] =>
  status.watches.flatMap((watch) => [
    ...(watch.problem === "" ? [] : [html`<strong>${watch.id}</strong>: ${watch.problem}`]),
    ...watch.targets
      .filter(isUnreadable)
      .map((target) => html`<strong>${watch.id}</strong>: ${target.name} is ${target.status}, ${target.reason}`),
  ]);

const warnings = (status: StatusView): Html[] => status.config.warnings.map((warning) => html`${warning}`);
