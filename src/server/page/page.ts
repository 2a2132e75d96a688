/**
 * The status page: a single document without external files, readable without scripts. It shows
 * whether the daemon works well and, if not, what an operator should do.
 */
import { Html, html } from "../contract/html.ts";
import { attention } from "./page-attention.ts";
import { PAGE_ICON, PAGE_SCRIPT, PAGE_STYLE } from "./page-assets.ts";
import { silenceForm } from "./page-silence-form.ts";
import { silenceTable } from "./page-silences.ts";
import { eventList, sinkTable, watchTable } from "./page-tables.ts";
import { tiles } from "./page-tiles.ts";
import { spanText, when } from "../contract/page-words.ts";
import { unclaimedWords } from "../contract/replica-words.ts";
import type { DaemonState, StatusView } from "../schema/status-view.ts";

const STATE: Readonly<
  Record<DaemonState, { readonly tone: string; readonly sign: string; readonly word: string }>
> = {
  running: { tone: "good", sign: "●", word: "Running" },
  degraded: { tone: "warn", sign: "▲", word: "Degraded" },
  paused: { tone: "bad", sign: "❚❚", word: "Paused" },
};

/**
 * Renders the page. Every value from the view is escaped. The style and the script are constants
 * whose hashes are in `PAGE_POLICY`.
 */
export function renderPage(status: StatusView, nowMs: number): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${STATE[status.state].word.toLowerCase()} – chirpwatch</title>
<link rel="icon" href="${PAGE_ICON}">
<noscript><meta http-equiv="refresh" content="30"></noscript>
<style>${new Html(PAGE_STYLE)}</style>
</head>
<body>
<div class="wrap">
<div id="lost" class="bad" role="alert" hidden></div>
<div id="live" tabindex="-1">
${header(status, nowMs)}
<main>
${tiles(status, nowMs)}
${attention(status)}
${watchTable(status.watches, nowMs)}
${sinkTable(status.sinks, nowMs)}
${silenceTable(status.silences, nowMs)}
${eventList(status.recent_events, nowMs)}
</main>
${sources(status, nowMs)}
</div>
${silenceForm()}
<button id="hold" type="button" aria-pressed="false" hidden>Hold updates</button>
</div>
<script>${new Html(PAGE_SCRIPT)}</script>
</body>
</html>
`.text;
}

const MARK = html`<svg width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" aria-hidden="true"><circle cx="6" cy="18" r="2.4" fill="currentColor"/><path d="M6 10a8 8 0 0 1 8 8M6 3.5A14.5 14.5 0 0 1 20.500 18"/></svg>`;

function header(status: StatusView, nowMs: number): Html {
  const { tone, sign, word } = STATE[status.state];
  return html`<header>
<h1>${MARK}chirpwatch</h1>
<span class="pill ${tone}"><span aria-hidden="true">${sign}</span>${word}</span>
<div class="about"><span>version ${status.version}</span><span>up ${spanText(status.uptime_seconds * 1_000)}</span>${replicas(status)}<span>as of ${asOf(nowMs)}</span></div>
</header>`;
}

function replicas({ replicas: all, unclaimed }: StatusView): Html | undefined {
  if (all === null) return undefined;
  const parts = all.map(({ name, polls_percent: percent }) => `${name} (${percent}% of the polls)`);
  const free = unclaimed === null ? "" : `; ${unclaimedWords(unclaimed)}`;
  return html`<span>replicas: ${parts.join(", ")}${free}</span>`;
}

/**
 * Returns the time at which the page was rendered. It shows people whether the page still updates
 * itself.
 */
function asOf(nowMs: number): Html {
  const iso = new Date(nowMs).toISOString();
  return html`<time id="as-of" datetime="${iso}">${iso.slice(11, 19)} UTC</time>`;
}

function sources(status: StatusView, nowMs: number): Html {
  return html`<footer>
<span>${status.config.file}, read ${when(status.config.loaded_at, nowMs)}</span>
<a href="api/v1/status">status as JSON</a><a href="metrics">metrics</a>
</footer>`;
}
