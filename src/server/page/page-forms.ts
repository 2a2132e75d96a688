/** Forms that change something. Each is folded: it is opened, says what it does, and then sent. */
import { type Html, html } from "../contract/html.ts";

export interface ConfirmForm {
  readonly summary: string;
  /** The relative address that it is sent to. */
  readonly action: string;
  /** What sending it does, in a sentence. */
  readonly explains: Html | string;
  readonly button: string;
  /** The fields besides the name of the person. */
  readonly fields?: Html;
}

export const confirmForm = ({
  summary,
  action,
  explains,
  button,
  fields,
}: ConfirmForm): Html => html`<details class="card"><summary>${summary}</summary><form method="post" action="${action}">
<p class="sub">${explains}</p>
${fields}<label>Your name<input name="by" maxlength="100" autocomplete="name"></label>
<button type="submit">${button}</button>
</form></details>`;

/** Returns a field for one of a few values; the first is chosen. */
export const choice = (
  label: string,
  name: string,
  options: readonly (readonly [value: string, text: string])[],
): Html =>
  html`<label>${label}<select name="${name}">${options.map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select></label>`;
