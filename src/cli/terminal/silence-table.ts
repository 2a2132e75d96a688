/**
 * Formats silences as a table for `silence list` and `status`: what each holds back, until when,
 * who added it and why.
 */
import { cleanLine } from "../../render/text/clean-text.ts";
import type { SilenceView } from "../../server/schema/silence-view.ts";
import { ageText, formatCount, formatTable } from "./table.ts";

const COLUMNS = [
  { title: "SILENCE", align: "right" },
  { title: "ALERTS WITH" },
  { title: "UNTIL" },
  { title: "BY" },
  { title: "WHY" },
  { title: "HELD BACK", align: "right" },
] as const;

export const formatSilenceTable = (silences: readonly SilenceView[], nowMs: number): string =>
  formatTable(
    COLUMNS,
    silences.map((silence) => [
      silence.id,
      matchersText(silence),
      silence.state === "active"
        ? untilText(silence.ends_at, nowMs)
        : `ended ${minuteText(silence.ends_at)}`,
      silence.author || "-",
      silence.comment,
      formatCount(alertsOf(silence)),
    ]),
  );

/** Returns what a silence matches, and at which sinks if it names any. */
export const matchersText = ({ matchers, sinks }: SilenceView): string =>
  `${cleanLine(matchers.join(", "))}${sinks.length === 0 ? "" : ` at ${cleanLine(sinks.join(", "))}`}`;

/** Returns how many alerts the silence holds back at all sinks. */
export const alertsOf = ({ silenced }: SilenceView): number =>
  silenced.reduce((sum, { alerts }) => sum + alerts, 0);

export const untilText = (iso: string, nowMs: number): string =>
  `${minuteText(iso)} (in ${ageText(Date.parse(iso) - nowMs)})`;

const minuteText = (iso: string): string => `${iso.slice(0, 16).replace("T", " ")} UTC`;
