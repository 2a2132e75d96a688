/**
 * Formats times for the readers of a sink. Formatters are cached, because Intl takes milliseconds
 * for each.
 */
import type { Region, TimeStyle } from "../../model/template.ts";

/** Whether this machine knows the formats of a locale. */
export function isLocale(name: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(name).length > 0;
  } catch {
    return false;
  }
}

const kept = new Map<string, Intl.DateTimeFormat>();

function formatter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale}\n${JSON.stringify(options)}`;
  const known = kept.get(key) ?? new Intl.DateTimeFormat(locale, options);
  kept.set(key, known);
  return known;
}

/**
 * Returns a time as "2026-01-15 12:00 UTC", or in the format of the region's locale, if it has one.
 * The zone is named only if the region sets none. An invalid time becomes "".
 */
export function spellTime(
  atMs: number,
  { locale, timezone }: Region = {},
  style: TimeStyle = "datetime",
): string {
  const date = new Date(atMs);
  if (Number.isNaN(date.getTime())) return "";
  const timeZone = timezone ?? "UTC";
  const text =
    locale === undefined
      ? plainText(date, timeZone, style)
      : localText(date, locale, timeZone, style);
  return timezone === undefined && style !== "date" ? `${text} UTC` : text;
}

/**
 * Returns a period as "26 Nov 09:00 to 27 Nov 09:00", or in the format of the region's locale, if
 * it has one. The date of the end is omitted if it is also the date of the start, and years are
 * shown only if they differ.
 */
export function spellPeriod(
  fromMs: number,
  toMs: number,
  { locale, timezone }: Region = {},
): string {
  const timeZone = timezone ?? "UTC";
  const years = [fromMs, toMs].map((atMs) =>
    formatter("en-US", { timeZone, year: "numeric" }).format(atMs),
  );
  const hasYear = years[0] !== years[1];
  const [from = "", to = ""] = [fromMs, toMs].map((atMs) =>
    momentText(atMs, locale, timeZone, hasYear),
  );
  const [fromDay, toDay] = [fromMs, toMs].map((atMs) =>
    spellTime(atMs, { timezone: timeZone }, "date"),
  );
  const clock =
    locale === undefined ? CLOCK : { hour: "2-digit" as const, minute: "2-digit" as const };
  const end =
    fromDay === toDay ? formatter(locale ?? "en-GB", { timeZone, ...clock }).format(toMs) : to;
  const text = from === to ? from : `${from} to ${end}`;
  return timezone === undefined ? `${text} UTC` : text;
}

/** Returns "26 Nov". */
export const spellDay = (
  atMs: number,
  { locale = "en-GB", timezone = "UTC" }: Region = {},
): string => formatter(locale, { timeZone: timezone, day: "numeric", month: "short" }).format(atMs);

const CLOCK: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

function momentText(
  atMs: number,
  locale: string | undefined,
  timeZone: string,
  hasYear: boolean,
): string {
  const day: Intl.DateTimeFormatOptions = {
    timeZone,
    day: "numeric",
    month: "short",
    ...(hasYear ? { year: "numeric" } : {}),
  };
  if (locale !== undefined)
    return formatter(locale, { ...day, hour: "2-digit", minute: "2-digit" }).format(atMs);
  const parts = new Map(
    formatter("en-US", { ...day, ...CLOCK })
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  );
  const date = [parts.get("day"), parts.get("month"), ...(hasYear ? [parts.get("year")] : [])].join(
    " ",
  );
  return `${date} ${parts.get("hour") ?? ""}:${parts.get("minute") ?? ""}`;
}

/** Formats a time as "2026-01-15 12:00", which is the format of the Swedish locale. */
function plainText(date: Date, timeZone: string, style: TimeStyle): string {
  const text = formatter("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
    hourCycle: "h23",
  }).format(date);
  if (style === "date") return text.slice(0, -6);
  return style === "time" ? text.slice(-5) : text;
}

const localText = (date: Date, locale: string, timeZone: string, style: TimeStyle): string =>
  formatter(locale, {
    timeZone,
    ...(style === "time" ? {} : { dateStyle: "medium" }),
    ...(style === "date" ? {} : { timeStyle: "short" }),
  }).format(date);
