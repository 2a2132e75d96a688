/**
 * Charts as SVG: bars by day, and a line with a band. They have no inline style, because the page's
 * policy allows none, and say in words what they show.
 */
import { Html, html } from "../contract/html.ts";
import { countText, dayText } from "../contract/page-words.ts";

export interface Bar {
  /** The day, as `2026-03-10`. */
  readonly day: string;
  readonly count: number;
}

const BAR_HEIGHT = 60;
const BAR_WIDTH = 10;
const GAP = 2;

/** Draws a bar for each day. `what` is what is counted, such as `alerts`. */
export function barChart(title: string, what: string, bars: readonly Bar[]): Html {
  const highest = Math.max(0, ...bars.map(({ count }) => count));
  const sum = bars.reduce((all, { count }) => all + count, 0);
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return html``;
  const shapes = bars.map(({ day, count }, at) => {
    const height = highest === 0 ? 0 : (BAR_HEIGHT * count) / highest;
    const y = (BAR_HEIGHT - height).toFixed(2);
    return html`<rect x="${at * BAR_WIDTH}" y="${y}" width="${BAR_WIDTH - GAP}" height="${height.toFixed(2)}"><title>${dayText(day)}: ${countText(count)} ${what}</title></rect>`;
  });
  const peak = bars.find(({ count }) => count === highest);
  const words = `${countText(sum)} ${what} from ${dayText(first.day)} to ${dayText(last.day)}${peak === undefined || highest === 0 ? "" : `, at most ${countText(highest)} on ${dayText(peak.day)}`}`;
  return figure(
    title,
    `${countText(sum)} ${what}`,
    html`<svg class="chart bars" viewBox="0 0 ${bars.length * BAR_WIDTH - GAP} ${BAR_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${words}">${shapes}</svg>`,
    [dayText(first.day), highest === 0 ? "" : `highest ${countText(highest)}`, dayText(last.day)],
  );
}

export interface SpendingLine {
  readonly startMs: number;
  readonly endMs: number;
  readonly nowMs: number;
  /** What was spent in each hour, in order. */
  readonly hours: readonly { readonly atMs: number; readonly spent: number }[];
  /** What will have been spent at the end: the least and the most; undefined if unknown. */
  readonly expected: readonly [least: number, most: number] | undefined;
  readonly limit: number | undefined;
}

const FAR_ABOVE = 4;
const LINE_WIDTH = 400;
const LINE_HEIGHT = 90;

/**
 * Draws what was spent so far as a line, what will be spent as a band from now to the end of the
 * period, and the limit.
 */
export function lineChart(title: string, spending: SpendingLine): Html {
  const { startMs, endMs, nowMs, hours, expected, limit } = spending;
  const total = hours.reduce((sum, { spent }) => sum + spent, 0);
  const [least, most] = expected ?? [total, total];
  const highest = Math.max(1, total, most);
  // A limit far above everything else would leave nothing to see below it.
  const isNear = limit !== undefined && limit <= FAR_ABOVE * highest;
  const top = isNear ? Math.max(highest, limit) : highest;
  const x = (atMs: number) =>
    (LINE_WIDTH * Math.min(1, Math.max(0, (atMs - startMs) / (endMs - startMs)))).toFixed(1);
  const y = (count: number) => (LINE_HEIGHT - (LINE_HEIGHT * count) / top).toFixed(1);
  let sum = 0;
  const points = hours.map(({ atMs, spent }) => {
    const before = `${x(atMs)},${y(sum)}`;
    sum += spent;
    return `${before} ${x(Math.min(nowMs, atMs + 3_600_000))},${y(sum)}`;
  });
  const now = `${x(nowMs)},${y(total)}`;
  const band =
    expected === undefined
      ? undefined
      : html`<polygon class="band" points="${now} ${x(endMs)},${y(most)} ${x(endMs)},${y(least)}"/>`;
  const limitLine = !isNear
    ? undefined
    : html`<line class="limit" x1="0" x2="${LINE_WIDTH}" y1="${y(limit)}" y2="${y(limit)}"/>`;
  const words = [
    `${countText(total)} requests since ${dayText(iso(startMs))}`,
    expected === undefined ? "" : `${rangeText(least, most)} expected until ${dayText(iso(endMs))}`,
    limit === undefined ? "" : `limit ${countText(limit)}`,
  ].filter((part) => part !== "");
  return figure(
    title,
    words.slice(1).join(", "),
    html`<svg class="chart line" viewBox="0 0 ${LINE_WIDTH} ${LINE_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${words.join(", ")}">${band}${limitLine}<polyline points="${x(startMs)},${y(0)} ${points.join(" ")} ${now}"/></svg>`,
    [dayText(iso(startMs)), "", dayText(iso(endMs))],
  );
}

const iso = (ms: number): string => new Date(ms).toISOString();

const rangeText = (least: number, most: number): string =>
  least === most ? countText(most) : `${countText(least)} to ${countText(most)}`;

const figure = (title: string, note: string, drawing: Html, axis: readonly string[]): Html =>
  html`<figure><figcaption>${title}<span>${note}</span></figcaption>${drawing}<div class="axis">${axis.map((text) => html`<span>${text}</span>`)}</div></figure>`;
