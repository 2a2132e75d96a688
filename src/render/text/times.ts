/** Times and numbers as the readers of a sink write them. Formatters are kept: Intl takes milliseconds for each. */
import type { Region, TimeStyle } from "../../model/template.ts";

/** Whether this machine knows how it is written. */
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

/** "2026-01-15 12:00 UTC"; as the region writes it where it has a locale. The zone is named where the region has none of its own. */
export function spellTime(atMs: number, { locale, timezone }: Region = {}, style: TimeStyle = "datetime"): string {
  const date = new Date(atMs);
  if (Number.isNaN(date.getTime())) return "";
  const timeZone = timezone ?? "UTC";
  const text = locale === undefined ? plainText(date, timeZone, style) : localText(date, locale, timeZone, style);
  return timezone === undefined && style !== "date" ? `${text} UTC` : text;
}

/** Swedish writes dates as ISO does. */
function plainText(date: Date, timeZone: string, style: TimeStyle): string {
  const text = formatter("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short", hourCycle: "h23" }).format(date);
  if (style === "date") return text.slice(0, -6);
  return style === "time" ? text.slice(-5) : text;
}

const localText = (date: Date, locale: string, timeZone: string, style: TimeStyle): string =>
  formatter(locale, {
    timeZone,
    ...(style === "time" ? {} : { dateStyle: "medium" }),
    ...(style === "date" ? {} : { timeStyle: "short" }),
  }).format(date);
