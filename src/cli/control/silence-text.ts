/** The texts about silences: one that was added, those that exist, and one that was ended. */
import { cleanLine } from "../../render/text/clean-text.ts";
import type { Effect } from "../../server/schema/change-view.ts";
import type {
  AddedSilenceView,
  SilencesView,
  SilenceView,
} from "../../server/schema/silence-view.ts";
import {
  alertsOf,
  formatSilenceTable,
  matchersText,
  untilText,
} from "../terminal/silence-table.ts";
import { formatEffect, plural } from "../terminal/table.ts";

export function formatAdded(silence: AddedSilenceView & Effect, nowMs: number): string {
  const { id, ends_at: endsAt, matching_24h: matching } = silence;
  return [
    `silence ${id} holds back alerts with ${matchersText(silence)} until ${untilText(endsAt, nowMs)}; ${formatEffect(silence)}`,
    matching === 0
      ? "no event of the last 24 hours matches: check the labels with chirpwatch events --json"
      : `${plural(matching, "event")} of the last 24 hours ${matching === 1 ? "matches" : "match"}`,
    `end it: chirpwatch silence expire ${id}`,
  ].join("\n");
}

export const formatSilences = ({ silences }: SilencesView, nowMs: number): string =>
  silences.length === 0 ? "No silences: all alerts go out." : formatSilenceTable(silences, nowMs);

export function formatExpired(silence: SilenceView & Effect): string {
  const alerts = alertsOf(silence);
  if (silence.kind === "snooze") {
    const digest = alerts === 0 ? "" : `; ${plural(alerts, "alert")} held back: sent as one digest`;
    return `snooze ${silence.id} ended; ${formatEffect(silence)}${digest}`;
  }
  const left =
    alerts === 0
      ? ""
      : `; ${plural(alerts, "alert")} held back: chirpwatch replay --silenced --silence ${silence.id}`;
  return `silence ${silence.id} ended; ${formatEffect(silence)}${left}`;
}

/** Lists the alerts that `replay --silenced` sends, with a line for each silence and sink. */
export const formatSilenced = (silences: readonly SilenceView[]): string =>
  silences
    .flatMap((silence) => {
      const what = `silence ${silence.id} (${matchersText(silence)}; ${cleanLine(silence.comment)})`;
      return silence.silenced.map(
        ({ sink, alerts }) => `${what}: ${plural(alerts, "alert")} for ${sink}`,
      );
    })
    .join("\n");
