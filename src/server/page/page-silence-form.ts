/**
 * The form that adds a silence. It is folded on the status page, and shown on a page of its own if
 * something in it is wrong.
 */
import { type Html, html } from "../contract/html.ts";
import type { SilenceRequest } from "../schema/silence-view.ts";
import { card, renderLayout } from "./layout.ts";

/** The fields of the form, as a browser sends them. */
export type SilenceFormText = Readonly<
  Record<"matchers" | "duration" | "comment" | "author", string>
>;

export const EMPTY_SILENCE: SilenceFormText = {
  matchers: "",
  duration: "1h",
  comment: "",
  author: "",
};

/**
 * Returns the folded form. It is outside the part of the page that the script replaces, so that
 * nothing is lost while somebody writes.
 */
export const silenceForm = (): Html =>
  html`<details class="card"><summary>Silence alerts…</summary>${formOf(EMPTY_SILENCE)}</details>
<noscript><p class="none"><a href="silences">Silence alerts on a page that does not reload itself</a></p></noscript>`;

/** Converts the fields of the form to a request. The form has one matcher per line. */
export const requestOfForm = ({ matchers, ...others }: SilenceFormText): SilenceRequest => ({
  ...others,
  matchers: matchers
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== ""),
});

/**
 * Returns the form's HTML. `root` is the relative path to the status page, because a proxy may
 * serve the pages below a path.
 */
const formOf = (
  { matchers, duration, comment, author }: SilenceFormText,
  root = "",
): Html => html`<form method="post" action="${root}silences">
<label>Alerts with all of these labels, one a line<textarea name="matchers" rows="2" required placeholder='watch="brand-mentions"'>${matchers}</textarea></label>
<label>For how long<input name="duration" required value="${duration}" placeholder="2h"></label>
<label>Why<input name="comment" required maxlength="500" value="${comment}"></label>
<label>Your name<input name="author" maxlength="500" value="${author}" autocomplete="name"></label>
<button type="submit">Silence</button>
</form>`;

export interface SilencePage {
  /** What is wrong with the form, one sentence per problem; empty if the form was not sent yet. */
  readonly problems?: readonly string[];
  readonly written?: SilenceFormText;
  /** The relative path from this page to the status page. */
  readonly root?: string;
}

export function renderSilencePage({
  problems = [],
  written = EMPTY_SILENCE,
  root = "",
}: SilencePage): string {
  const said =
    problems.length === 0
      ? undefined
      : html`<div role="alert"><ul class="problems">${problems.map((problem) => html`<li>${problem}</li>`)}</ul></div>`;
  return renderLayout({
    title: "silence alerts",
    root,
    main: card("silence", "Silence alerts", "", html`${said}${formOf(written, root)}`),
  });
}
