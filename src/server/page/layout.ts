/**
 * The frame that all pages share: head, navigation and policy. Every value is escaped; style and
 * script are constants whose hashes are in `PAGE_POLICY`.
 */
import { Html, html } from "../contract/html.ts";
import { PAGE_ICON, PAGE_SCRIPT, PAGE_STYLE } from "./page-assets.ts";

export interface Layout {
  /** The title without the name of the product. */
  readonly title: string;
  /**
   * The relative way to the status page, such as `../`: links are relative, because a proxy may
   * serve the pages below a path.
   */
  readonly root?: string;
  /** Which link of the navigation leads to this page. */
  readonly at?: "overview" | "alerts";
  /** What stands beside the name of the product, and is replaced with `live`. */
  readonly header?: Html;
  /** What stands at the end of that line, such as the version. */
  readonly about?: Html;
  /** What stands above `live` and stays as it is, such as the fields of a search. */
  readonly before?: Html;
  /** The part that the script replaces every ten seconds. */
  readonly live?: Html;
  /** When the page was rendered, which a page with a live part says. */
  readonly nowMs?: number;
  /**
   * Whether a browser without scripts reloads the page. A page with forms that are always shown
   * must not, because it would lose what is written in them.
   */
  readonly reloads?: boolean;
  /** What stands below `live` and stays as it is, such as forms. */
  readonly main?: Html;
  readonly footer?: Html;
}

const LOGO = html`<svg width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" aria-hidden="true"><circle cx="6" cy="18" r="2.4" fill="currentColor"/><path d="M6 10a8 8 0 0 1 8 8M6 3.5A14.5 14.5 0 0 1 20.500 18"/></svg>`;

export function renderLayout(layout: Layout): string {
  const { title, root = "", at, before, live, main, footer, reloads = false } = layout;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – chirpwatch</title>
<link rel="icon" href="${PAGE_ICON}">
${reloads ? html`<noscript><meta http-equiv="refresh" content="30"></noscript>` : undefined}
<style>${new Html(PAGE_STYLE)}</style>
</head>
<body>
<div class="wrap">
${live === undefined ? undefined : html`<div id="lost" class="bad" role="alert" hidden></div>`}
<header>
<h1>${LOGO}chirpwatch</h1>
${navigation(root, at)}
${liveHeader(layout)}</header>
<main>${before}
${live === undefined ? undefined : html`<div id="live" data-live tabindex="-1">${live}</div>`}
${main}</main>
${live === undefined && footer === undefined ? undefined : html`<footer>${footer}${live === undefined ? undefined : HOLD}</footer>`}
</div>
${live === undefined ? undefined : html`<script>${new Html(PAGE_SCRIPT)}</script>`}
</body>
</html>
`.text;
}

const HOLD = html`<button id="hold" type="button" aria-pressed="false" hidden>Hold updates</button>`;

/** Returns what stands beside the name and is replaced: the state, and as of when the page is. */
function liveHeader({ header, about, live, nowMs }: Layout): Html | undefined {
  if (live === undefined || nowMs === undefined) return header;
  return html`<div id="state" data-live>${header}<div class="about">${about}<span>as of ${asOf(nowMs)}</span></div></div>
`;
}

/**
 * Returns the time at which the page was rendered. It shows people whether the page still updates
 * itself.
 */
function asOf(nowMs: number): Html {
  const iso = new Date(nowMs).toISOString();
  return html`<time id="as-of" datetime="${iso}">${iso.slice(11, 19)} UTC</time>`;
}

function navigation(root: string, at: Layout["at"]): Html {
  const here = (page: Layout["at"]) => (page === at ? html` aria-current="page"` : undefined);
  return html`<nav aria-label="Pages"><a href="${root === "" ? "." : root}"${here("overview")}>Overview</a><a href="${root}events"${here("alerts")}>Alerts</a></nav>`;
}

export function card(id: string, title: string, note: string, content: Html): Html {
  return html`<section class="card"><h2 id="${id}">${title}<span>${note}</span></h2>${content}</section>`;
}

/** Returns names with their values, as a list that wraps on a narrow screen. */
export const facts = (pairs: readonly (readonly [name: string, value: Html | string])[]): Html =>
  html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** What a change did, in a sentence, at the top of the page to which the form leads back. */
export const said = (sentence: string | undefined): Html | undefined =>
  sentence === undefined ? undefined : html`<p class="said" role="status">${sentence}</p>`;
