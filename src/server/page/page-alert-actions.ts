/** The forms on the page with which people act on one alert. */
import { type Html, html } from "../contract/html.ts";
import type { MarkView } from "../schema/mark-view.ts";

export interface ActedOn {
  readonly id: string;
  readonly acknowledged: MarkView | null;
}

/**
 * Returns the forms, which are folded until somebody opens them. `root` is the relative path to the
 * status page.
 */
export function alertActions({ id, acknowledged }: ActedOn, root = ""): Html {
  const [verb, label] =
    acknowledged === null ? ["acknowledge", "Acknowledge"] : ["unacknowledge", "Undo"];
  return html`<details class="act"><summary>Act on it…</summary><form method="post" action="${root}alerts/${encodeURIComponent(id)}/${verb}">
<label>Your name<input name="by" maxlength="100" autocomplete="name"></label>
<button type="submit">${label}</button>
</form></details>`;
}
