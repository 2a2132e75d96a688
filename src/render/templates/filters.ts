/**
 * Registers the filters that alerts need: `graphemes`, `thousands`, `time`, and a `date` whose
 * `now` is the time of the rendering instead of the machine's clock.
 */
import type { FilterImplOptions, Liquid } from "liquidjs";
import {
  type Moment,
  type Region,
  type TextPiece,
  TIME_STYLES,
  type TimeStyle,
} from "../../model/template.ts";
import { formatExact } from "../text/numbers.ts";
import { spellTime } from "../text/times.ts";
import { lazy } from "../../model/lazy.ts";

export interface FilterSetting {
  readonly region: Region;
  /** The state of the rendering that is under way. */
  readonly current: Rendering;
}

/** The state of one rendering while it runs. */
export interface Rendering {
  nowMs: number;
  hasMoments: boolean;
  /**
   * The moments in the order in which they were written. A mark in the output holds the index of
   * its moment in this list.
   */
  moments: Moment[];
}

/**
 * The characters before and after the index of a moment in rendered text. `withoutMarks` removes
 * them from all input.
 */
const OPEN = "\ue000";
const CLOSE = "\ue001";

/** Removes marks, so that nothing in an author's text can be taken for a moment. */
export const withoutMarks = (text: string): string => text.replace(/[\ue000\ue001]/g, "");

/**
 * Splits rendered text into plain text and moments, in order. Removes incomplete marks, which a
 * filter may have cut.
 */
export function piecesOf(text: string, moments: readonly Moment[]): readonly TextPiece[] {
  const pieces = text
    .split(/\ue000(\d+)\ue001/)
    .map((part, index) => (index % 2 === 0 ? withoutMarks(part) : (moments[Number(part)] ?? "")));
  return pieces.filter((piece) => piece !== "");
}

export function registerFilters(liquid: Liquid, { region, current }: FilterSetting): void {
  const standardDate = liquid.filters["date"];
  liquid.registerFilter("graphemes", (value: unknown, most: unknown) =>
    cutGraphemes(textOf(value), Number(most)),
  );
  liquid.registerFilter("thousands", (value: unknown) => thousands(value, region));
  liquid.registerFilter("time", (value: unknown, style: unknown) =>
    time(value, styleOf(style), region, current),
  );
  liquid.registerFilter("date", function (this: object, value: unknown, ...rest: unknown[]) {
    const given = value === "now" || value === "today" ? current.nowMs / 1_000 : value;
    return typeof standardDate === "function"
      ? Reflect.apply(standardDate as DateFilter, this, [given, ...rest])
      : given;
  } as FilterImplOptions);
}

type DateFilter = (...values: unknown[]) => unknown;

const textOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : "";

/** The segmenter is created on first use, because loading Intl's grapheme rules takes 15 ms. */
const segmenter = lazy(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

/**
 * Returns at most `most` graphemes, which are characters as readers count them, including the
 * ellipsis.
 */
function cutGraphemes(text: string, most: number): string {
  if (!Number.isInteger(most) || most < 1)
    throw new Error("graphemes needs a number: write it like graphemes: 200");
  if (text.length <= most) return text;
  let count = 0;
  let end = 0;
  for (const { index } of segmenter().segment(text)) {
    if (count === most - 1) end = index;
    if (count === most) return `${text.slice(0, end).trimEnd()}…`;
    count += 1;
  }
  return text;
}

function thousands(value: unknown, { locale }: Region): string {
  const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof count === "number" && Number.isFinite(count)
    ? formatExact(count, locale)
    : textOf(value);
}

function styleOf(style: unknown): TimeStyle {
  if (style === undefined) return "datetime";
  const found = TIME_STYLES.find((known) => known === style);
  if (found === undefined)
    throw new Error(`time has no style "${textOf(style)}"; known here: ${TIME_STYLES.join(", ")}`);
  return found;
}

/**
 * Formats `now`, an ISO time, or seconds or milliseconds since 1970. Anything else is returned as
 * text.
 */
function time(value: unknown, style: TimeStyle, region: Region, current: Rendering): string {
  const atMs = timeOf(value, current.nowMs);
  if (atMs === undefined) return textOf(value);
  const moment = { atMs, style, text: spellTime(atMs, region, style) };
  if (!current.hasMoments) return moment.text;
  current.moments.push(moment);
  return `${OPEN}${current.moments.length - 1}${CLOSE}`;
}

/** The latest time that a JavaScript `Date` can represent, in milliseconds. */
const LAST_MS = 8.64e15;

function timeOf(value: unknown, nowMs: number): number | undefined {
  if (value === "now" || value === "today") return nowMs;
  const number =
    typeof value === "number"
      ? value
      : typeof value === "string" && /^\d{9,13}$/.test(value)
        ? Number(value)
        : Number.NaN;
  const atMs = Number.isNaN(number)
    ? Date.parse(textOf(value))
    : number < 1e11
      ? number * 1_000
      : number;
  return Math.abs(atMs) <= LAST_MS ? atMs : undefined;
}
