/** The page that says why a form was not carried out. */
import { html } from "../contract/html.ts";
import { card, renderLayout } from "./layout.ts";

export interface Refused {
  readonly title: string;
  /** What is wrong, one sentence each. */
  readonly problems: readonly string[];
  /** The relative way to the overview. */
  readonly root: string;
}

export const renderProblemPage = ({ title, problems, root }: Refused): string =>
  renderLayout({
    title: title.toLowerCase(),
    root,
    main: card(
      "problem",
      title,
      "",
      html`<div role="alert"><ul class="problems">${problems.map((problem) => html`<li>${problem}</li>`)}</ul></div><p class="none"><a href="${root === "" ? "." : root}">back to the overview</a></p>`,
    ),
  });
