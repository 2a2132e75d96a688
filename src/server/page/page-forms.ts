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
  /** `card` stands by itself, `do` at the end of a line. */
  readonly kind?: FormKind;
}

export type FormKind = "card" | "do";

export const confirmForm = ({
  summary,
  action,
  explains,
  button,
  fields,
  kind = "card",
}: ConfirmForm): Html => html`<details class="${kind}"><summary>${summary}</summary><form method="post" action="${action}">
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

export const reloadForm = (kind: FormKind = "card"): Html =>
  confirmForm({
    kind,
    summary: "Reload the configuration…",
    action: "reload",
    explains:
      "Reads the file again and takes it completely or not at all: if it has an error, the present one stays active.",
    button: "Reload",
  });

/** Returns the form that tries a failing sink. `place` is the relative address of its page. */
export const tryForm = (place: string, kind: FormKind = "do"): Html =>
  confirmForm({
    kind,
    summary: "Try now…",
    action: `${place}/resume`,
    explains: "The next message is sent at once. If the sink takes it, the others follow.",
    button: "Try now",
  });

/** Returns what can be done about the dead letters of the sink whose page is at `place`. */
export const deadForms = (place: string, kind: FormKind = "do"): Html =>
  html`${confirmForm({
    kind,
    summary: "Send dead letters again…",
    action: `${place}/dead/replay`,
    explains: "What was given up for this sink is sent again. It costs no request.",
    button: "Send again",
  })}${confirmForm({
    kind,
    summary: "Accept the loss of dead letters…",
    action: `${place}/dead/acknowledge`,
    explains: "They are not sent again and no longer count as a problem.",
    button: "Accept",
  })}`;
