/**
 * The list of problems that need attention on the status page, which is left out if there are none.
 * Its sentences are the reasons that the daemon reports.
 */
import { lazy } from "../../model/lazy.ts";
import { UNREADABLE } from "../../model/watch-store.ts";
import { Html, html } from "../contract/html.ts";
import { counted } from "../contract/page-words.ts";
import type { StatusView } from "../schema/status-view.ts";
import { deadForms, reloadForm, tryForm } from "./page-forms.ts";
import type { TargetView, WatchView } from "../schema/watch-view.ts";

/**
 * The maximum number of lines. A page full of the same sentence helps nobody; the JSON contains all
 * of them.
 */
const MAX_LINES = 25;

/**
 * Whether somebody must act so that this watch reports everything that it should. A target that the
 * service has not indexed is not such a problem.
 */
export const isTroubled = (watch: WatchView): boolean =>
  watch.problem !== "" || watch.targets.some(isUnreadable);

export const isUnreadable = ({ status }: TargetView): boolean =>
  UNREADABLE.some((one) => one === status);

/** `watchNames` are all watches, also those that the status leaves out. */
export function attention(status: StatusView, watchNames: readonly string[]): Html {
  const { reasons, config, watches } = status;
  const wayOn = createWaysOn(watchNames, status);
  const lines = [
    ...reasons.map((sentence) => html`${sentence}${wayOn(sentence)}`),
    ...(config.failed_reload?.errors ?? []).map(plain),
    ...failingPolls(watches),
    ...config.warnings.map(plain),
  ];
  if (lines.length === 0) return html``;
  const shown = lines.slice(0, MAX_LINES);
  const more = lines.length - shown.length;
  return html`<section class="card attention" aria-labelledby="attention"><h2 id="attention">Needs attention</h2>
<ul>${shown.map((line) => html`<li>${line}</li>`)}${more > 0 ? html`<li>and ${counted(more, "more")}: see <a href="api/v1/status">the status as JSON</a></li>` : undefined}</ul></section>`;
}

/** What begins a sentence about dead letters: it names the sink. */
const DEAD = /^[\d,]+ alerts? for (.+?) (?:was|were) (?:given up|refused for good)/;
const REFUSED = "the changed configuration was refused";

/**
 * Returns a function that finds what a sentence is about: a link to the page of the watch or the
 * sink that it names, and a button for what can be done about it at once.
 */
function createWaysOn(
  watchNames: readonly string[],
  { sinks }: StatusView,
): (sentence: string) => Html | undefined {
  // Most visits find nothing that needs attention, and there may be ten thousand watches.
  const places = lazy(
    () =>
      new Map([
        ...watchNames.map((id) => [id, `watches/${encodeURIComponent(id)}`] as const),
        ...sinks.map(({ name }) => [name, `sinks/${encodeURIComponent(name)}`] as const),
      ]),
  );
  const failing = new Set(sinks.flatMap(({ name, breaker }) => (breaker === "open" ? [name] : [])));
  return (sentence) => {
    if (sentence.startsWith(REFUSED)) return reloadForm("do");
    const dead = DEAD.exec(sentence)?.[1];
    const words = sentence.split(/[\s:;,()]+/);
    const named = [dead, ...words].find((word) => word !== undefined && places().has(word));
    if (named === undefined) return undefined;
    const place = places().get(named) ?? "";
    const forms =
      dead === named
        ? deadForms(place)
        : failing.has(named) && words[0] === named
          ? tryForm(place)
          : undefined;
    return html` <a href="${place}">Open ${named}</a>${forms}`;
  };
}

const plain = (sentence: string): Html => html`${sentence}`;

/**
 * Returns a line for each watch whose polls fail. A watch with an unreadable target is left out,
 * because the daemon's reasons already mention the target.
 */
const failingPolls = (watches: readonly WatchView[]): Html[] =>
  watches
    .filter(({ problem, targets }) => problem !== "" && !targets.some(isUnreadable))
    .map(({ id, problem }) => {
      const place = `watches/${encodeURIComponent(id)}`;
      return html`<a href="${place}">${id}</a>: ${problem} <a href="${place}/test">Test ${id}…</a>`;
    });
