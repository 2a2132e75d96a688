/**
 * The table of silences on the status page: what each holds back, until when, and who added it and
 * why. The table is left out if there are no silences.
 */
import { Html, html } from "../contract/html.ts";
import { countText, when } from "../contract/page-words.ts";
import type { SilenceView } from "../schema/silence-view.ts";
import { card } from "./layout.ts";

export function silenceTable(silences: readonly SilenceView[], nowMs: number): Html {
  if (silences.length === 0) return html``;
  return card(
    "silences",
    "Silences",
    countText(silences.length),
    html`<table aria-labelledby="silences">
<thead><tr><th scope="col">Alerts with</th><th scope="col">Ends</th><th scope="col">Added by</th><th scope="col">Why</th><th scope="col" class="num">Held back</th><th scope="col"><span class="away">End it</span></th></tr></thead>
<tbody>${silences.map((silence) => silenceRow(silence, nowMs))}</tbody></table>`,
  );
}

function silenceRow(
  { id, kind, matchers, sinks, ends_at: endsAt, author, comment, silenced }: SilenceView,
  nowMs: number,
): Html {
  const alerts = silenced.reduce((sum, one) => sum + one.alerts, 0);
  return html`<tr><th scope="row">${matchers.join(", ")}<span class="sub">${[`${kind} ${id}`, ...(sinks.length === 0 ? [] : [`at ${sinks.join(", ")}`])].join(" ")}</span></th>
<td data-label="Ends">${when(endsAt, nowMs)}</td>
<td data-label="Added by">${author || "–"}</td>
<td data-label="Why">${comment}</td>
<td data-label="Held back" class="num">${countText(alerts)}</td>
<td><details class="do"><summary aria-label="End ${kind} ${id}…">End…</summary><p class="sub">What it matches goes out again.</p><form method="post" action="silences/${encodeURIComponent(id)}/expire"><button type="submit" aria-label="End ${kind} ${id}">End</button></form></details></td></tr>
`;
}
