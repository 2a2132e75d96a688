/** The forms on the page with which people act on one alert. */
import { type Html, html } from "../contract/html.ts";
import type { MarkView } from "../schema/mark-view.ts";

export interface ActedOn {
  readonly id: string;
  readonly acknowledged: MarkView | null;
  readonly notRelevant: MarkView | null;
  /** The sinks that have it. Without any, nothing can be snoozed or muted. */
  readonly sinks: readonly string[];
}

const LENGTHS = [
  ["1h", "for an hour"],
  ["4h", "for 4 hours"],
  ["tomorrow", "until 9:00 tomorrow"],
  ["1w", "for a week"],
] as const;

/** Returns the forms, folded. `root` is the relative way to the status page. */
export function alertActions({ id, acknowledged, notRelevant, sinks }: ActedOn, root = ""): Html {
  const path = `${root}alerts/${encodeURIComponent(id)}`;
  const button = (verb: string, label: string) =>
    html`<button type="submit" formaction="${path}/${verb}">${label}</button>`;
  const holds =
    sinks.length === 0
      ? undefined
      : html`<label>At<select name="sink"><option value="">each sink that has it</option>${sinks.map((sink) => html`<option>${sink}</option>`)}</select></label>
<label>Snooze<select name="for">${LENGTHS.map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select></label>
${button("snooze", "Snooze")}
${button("mute-author", "Mute author for 7 days")}`;
  return html`<details class="act"><summary>Act on it…</summary><form method="post" action="${path}/${acknowledged === null ? "acknowledge" : "unacknowledge"}">
<label>Your name<input name="by" maxlength="100" autocomplete="name"></label>
<button type="submit">${acknowledged === null ? "Acknowledge" : "Undo acknowledgement"}</button>
${notRelevant === null ? button("not-relevant", "Not relevant") : button("relevant", "Relevant after all")}
${holds}
</form></details>`;
}
