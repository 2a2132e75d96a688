/** Formats dead letters: a sentence for each sink and cause, then the alerts. */
import type { DeadGroupView, DeadLetterView, DeadView } from "../../server/schema/dead-view.ts";
import { formatTable, plural } from "../terminal/table.ts";

const MAX_ALERTS = 50;

export function formatDead({ groups, dead }: DeadView): string {
  if (groups.length === 0)
    return "No dead letters: every alert was delivered, is waiting, or was acknowledged as lost.";
  const rows = dead.flatMap((letter) =>
    letter.alerts.map((alert) => [
      ...rowOf(letter),
      alert.watch || "chirpwatch",
      alert.title,
      alert.url ?? "",
    ]),
  );
  const columns = ["GIVEN UP", "SINK", "MESSAGE", "WATCH", "ALERT", "LINK"].map((title) => ({
    title,
  }));
  const all = groups.reduce((sum, { alerts }) => sum + alerts, 0);
  const left = all - Math.min(rows.length, MAX_ALERTS);
  return [
    groups.map(({ text }) => text).join("\n"),
    formatTable(columns, rows.slice(0, MAX_ALERTS)),
    ...(left > 0 ? [`and ${plural(left, "more alert")}: see --json, or --sink NAME`] : []),
    "Send them again: chirpwatch replay --dead. Accept the loss: chirpwatch dead ack.",
  ].join("\n\n");
}

const rowOf = ({ given_up_at: at, sink, message_id: id }: DeadLetterView): readonly string[] => [
  at.slice(0, 19).replace("T", " "),
  sink,
  id,
];

/** Says for each group of dead letters how `replay --dead` would send it. */
export function formatReplay(groups: readonly DeadGroupView[]): string {
  return groups
    .map((group) => {
      if (!group.configured)
        return `${group.text}: kept, because the configuration has no sink ${group.sink}`;
      const how =
        group.cause === "expired"
          ? "sent again with the same ids"
          : "rendered again, sent with new message ids";
      return `${group.text}: ${how}`;
    })
    .join("\n");
}
