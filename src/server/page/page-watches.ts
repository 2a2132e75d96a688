/** The page of all watches by name, for those that the overview has no room for. */
import { html } from "../contract/html.ts";
import { counted, countText } from "../contract/page-words.ts";
import { card, renderLayout } from "./layout.ts";

const MAX_NAMES = 2_000;

/** `asked` is a part of a name; all are shown if it is empty. */
export function renderWatchesPage(names: readonly string[], asked: string): string {
  const found = names.filter((name) => name.toLowerCase().includes(asked.toLowerCase()));
  const shown = found.slice(0, MAX_NAMES);
  const left = found.length - shown.length;
  const list =
    shown.length === 0
      ? html`<p class="none">${names.length === 0 ? "No watches: add one to the configuration." : "No watch has such a name."} <a href="watches">All watches</a></p>`
      : html`<ul class="names">${shown.map((name) => html`<li><a href="watches/${encodeURIComponent(name)}">${name}</a></li>`)}</ul>`;
  const more =
    left > 0
      ? html`<p class="none">and ${counted(left, "more")}: write a part of the name</p>`
      : undefined;
  return renderLayout({
    title: "watches",
    main: card(
      "watches",
      "Watches",
      countText(found.length),
      html`<form class="search" method="get" action="watches"><label>Name<input name="name" value="${asked}"></label><button type="submit">Find</button></form>${list}${more}`,
    ),
    footer: html`<a href="api/v1/watches">watches as JSON</a>`,
  });
}
