/** Formats numbers and times for the status page. */
import { Html, html } from "./html.ts";

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** Returns a duration in its one or two largest units: `3 d 4 h`, `2 min`, `12 s`. */
export function spanText(ms: number): string {
  let rest = Math.max(0, Math.round(ms / 1_000));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2 || (parts.length === 1 && unit === "min")) break;
  }
  return parts.join(" ") || "0 s";
}

/**
 * Returns a time as `3 min ago`, `in 40 s` or `now`. The element also contains the exact time,
 * which browsers show on hover and programs can read.
 */
export function when(iso: string | null, nowMs: number, otherwise = "–"): Html {
  if (iso === null) return html`<span class="quiet">${otherwise}</span>`;
  const distanceMs = Date.parse(iso) - nowMs;
  const span = spanText(Math.abs(distanceMs));
  const text = Math.abs(distanceMs) < 1_000 ? "now" : distanceMs > 0 ? `in ${span}` : `${span} ago`;
  return timeElement(iso, text);
}

/** Returns how long something has lasted, such as `for 3 d 4 h`. */
export const lasting = (since: string, nowMs: number): Html =>
  html`for ${timeElement(since, spanText(nowMs - Date.parse(since)))}`;

const timeElement = (iso: string, text: string): Html =>
  html`<time datetime="${iso}" title="${iso.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC")}">${text}</time>`;

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec".split(" ");

/**
 * Returns a day such as `1 Dec`. The day is in UTC, like all times of the page. A chart has dozens,
 * and with Intl each would take as long as all of its bars.
 */
export function dayText(iso: string): string {
  const date = new Date(iso);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

/** Returns a whole number with a comma at each thousand. */
export const countText = (count: number): string =>
  String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");

/** Returns a count such as `1 watch` or `2 watches`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`;
