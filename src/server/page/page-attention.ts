/**
 * The list of what needs attention, which is shown only if there is something to do. Its sentences
 * are the daemon's own reasons.
 */
import { Html, html } from "../contract/html.ts";
import { counted } from "../contract/page-words.ts";
import type { StatusView } from "../schema/status-view.ts";
import type { TargetView, WatchView } from "../schema/watch-view.ts";

/** A page of the same sentence helps nobody; the JSON has them all. */
const MAX_LINES = 25;

/**
 * Whether somebody must act before this watch reports everything that it should. An account that is
 * not indexed is no such problem.
 */
export const isTroubled = (watch: WatchView): boolean =>
  watch.problem !== "" || watch.targets.some(isUnreadable);

export const isUnreadable = (target: TargetView): boolean =>
  target.status === "unavailable" || target.status === "misconfigured";

export function attention(status: StatusView): Html {
  const { reasons, config, watches } = status;
  const lines = [
    ...[...reasons, ...(config.failed_reload?.errors ?? [])].map(plain),
    ...failingPolls(watches),
    ...config.warnings.map(plain),
  ];
  if (lines.length === 0) return html``;
  const shown = lines.slice(0, MAX_LINES);
  const more = lines.length - shown.length;
  return html`<section class="card attention" aria-labelledby="attention"><h2 id="attention">Needs attention</h2>
<ul>${shown.map((line) => html`<li>${line}</li>`)}${more > 0 ? html`<li>and ${counted(more, "more")}: see <a href="api/v1/status">the status as JSON</a></li>` : undefined}</ul></section>`;
}

const plain = (sentence: string): Html => html`${sentence}`;

/**
 * Returns the failing polls. An account that cannot be read fails its polls too, but has a reason
 * of its own already.
 */
const failingPolls = (watches: readonly WatchView[]): Html[] =>
  watches
    .filter(({ problem, targets }) => problem !== "" && !targets.some(isUnreadable))
    .map(({ id, problem }) => html`<strong>${id}</strong>: ${problem}`);
