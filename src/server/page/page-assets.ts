/**
 * The style, script and icon of the status page, and the Content-Security-Policy that makes the
 * browser accept no others.
 */
import { createHash } from "node:crypto";

export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f3; --card: #ffffff; --ink: #1b2420; --soft: #59665f; --line: #dfe4df; --accent: #0b7a66; --track: #e4eae6;
  --good: #17744a; --good-bg: #e2f3e9; --warn: #8a5300; --warn-bg: #fdf0d9; --bad: #b3261e; --bad-bg: #fce8e6; --rest-bg: #eceff0;
  --shadow: 0 1px 2px rgb(20 40 30 / 6%), 0 4px 14px rgb(20 40 30 / 5%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101513; --card: #181f1c; --ink: #e8eeea; --soft: #9daba4; --line: #2a342f; --accent: #4fd1b5; --track: #2a342f;
    --good: #6fd6a0; --good-bg: #15311f; --warn: #f3bd62; --warn-bg: #37290f; --bad: #ff9d94; --bad-bg: #401b18; --rest-bg: #27302c;
    --shadow: none;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
.wrap { max-width: 76rem; margin: 0 auto; padding: 1.5rem 1.25rem 2.5rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem .9rem; align-items: center; margin-bottom: 1.4rem; }
h1 { font-size: 1.35rem; margin: 0; letter-spacing: -.01em; display: flex; gap: .55rem; align-items: center; }
h1 svg { color: var(--accent); }
header .about { color: var(--soft); font-size: .88rem; margin-left: auto; display: flex; flex-wrap: wrap; gap: .3rem .9rem; align-items: center; }
h2 { font-size: 1rem; margin: 0; display: flex; gap: .5rem; align-items: baseline; }
h2 span { color: var(--soft); font-weight: 400; font-size: .88rem; }
h3 { font-size: .82rem; font-weight: 600; color: var(--soft); margin: 0 0 .15rem; }
section.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; box-shadow: var(--shadow); margin-bottom: 1.1rem; overflow: hidden; }
section.card > h2 { padding: .85rem 1.1rem .7rem; }
.pill { display: inline-flex; gap: .4rem; align-items: center; border-radius: 99px; padding: .1rem .65rem; font-size: .82rem; font-weight: 600; white-space: nowrap; background: var(--rest-bg); color: var(--soft); }
.good { background: var(--good-bg); color: var(--good); } .warn { background: var(--warn-bg); color: var(--warn); } .bad { background: var(--bad-bg); color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .9rem; margin-bottom: 1.1rem; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 12px; box-shadow: var(--shadow); padding: .85rem 1.1rem .95rem; }
.tile .big { font-size: 1.6rem; font-weight: 650; line-height: 1.25; letter-spacing: -.02em; font-variant-numeric: tabular-nums; margin: 0; }
.tile .big small { font-size: .95rem; font-weight: 500; color: var(--soft); letter-spacing: 0; }
.tile p:last-child { margin: .1rem 0 0; color: var(--soft); font-size: .88rem; overflow-wrap: anywhere; }
.bar { position: relative; display: block; width: 100%; height: 7px; margin: .4rem 0; border-radius: 4px; }
.bar rect { fill: var(--track); } .bar .spent { fill: var(--accent); } .bar .forecast { fill: var(--accent); opacity: .3; } .bar.over .forecast { fill: var(--bad); opacity: .55; }
.attention { border-color: var(--warn) !important; }
.attention ul { margin: 0; padding: 0 1.1rem .9rem 2.3rem; } .attention li { margin: .2rem 0; overflow-wrap: anywhere; } .attention li::marker { color: var(--warn); }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { text-align: left; font-size: .8rem; font-weight: 600; color: var(--soft); padding: .35rem .7rem; white-space: nowrap; }
td { padding: .6rem .7rem; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tr > :first-child { padding-left: 1.1rem; } tr > :last-child { padding-right: 1.1rem; }
th.num, td.num { text-align: right; white-space: nowrap; }
td time, td .nowrap { white-space: nowrap; }
tbody th { font-size: 1rem; color: inherit; border-top: 1px solid var(--line); padding-top: .6rem; padding-bottom: .6rem; vertical-align: top; white-space: normal; overflow-wrap: anywhere; }
.sub { display: block; color: var(--soft); font-size: .84rem; font-weight: 400; }
.quiet { color: var(--soft); } .trouble { color: var(--bad); }
.none { margin: 0; padding: .2rem 1.1rem 1.1rem; color: var(--soft); }
ol.events { list-style: none; margin: 0; padding: 0; }
ol.events li { display: grid; grid-template-columns: 8.5rem 1fr; gap: .1rem 1rem; padding: .55rem 1.1rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
ol.events time { color: var(--soft); font-size: .88rem; }
a { color: var(--accent); text-underline-offset: 2px; } a:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
button { font: inherit; font-size: .85rem; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 8px; padding: .2rem .7rem; cursor: pointer; margin-top: .8rem; }
button[aria-pressed="true"] { background: var(--warn-bg); color: var(--warn); }
form { margin: 0; } td form button { margin: 0; }
details { padding: .85rem 1.1rem; margin-top: 1.1rem; } summary { cursor: pointer; font-weight: 600; }
label { display: block; max-width: 34rem; margin: .7rem 0 0; font-size: .88rem; color: var(--soft); } section > form { padding: 0 1.1rem 1.1rem; }
input, textarea { display: block; width: 100%; box-sizing: border-box; margin-top: .2rem; padding: .4rem .6rem; font: inherit; font-size: 1rem; color: var(--ink); background: var(--ground); border: 1px solid var(--line); border-radius: 8px; }
input:focus-visible, textarea:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
nav { display: flex; gap: .9rem; } nav a[aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; }
section.card > form, details form { padding-bottom: .4rem; } details.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
form.search { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .2rem .9rem; align-items: end; padding: 0 1.1rem 1rem; } form.search button { justify-self: start; }
select { display: block; width: 100%; margin-top: .2rem; padding: .4rem .5rem; font: inherit; font-size: 1rem; color: var(--ink); background: var(--ground); border: 1px solid var(--line); border-radius: 8px; }
label.check { display: flex; gap: .5rem; align-items: center; } label.check input { width: auto; margin: 0; }
dl.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .5rem 1.1rem; margin: 0; padding: 0 1.1rem 1rem; } dl.facts dt { font-size: .8rem; color: var(--soft); } dl.facts dd { margin: 0; overflow-wrap: anywhere; }
details.act { padding: 0; margin-top: .2rem; } details.act summary { font-weight: 400; font-size: .85rem; color: var(--soft); }
.links { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; } .full { color: var(--ink); font-size: 1.05rem; }
.inset { padding: 0 1.1rem .7rem; } .text { white-space: pre-line; } ul.changes { margin: 0; padding: 0 1.1rem .9rem 2.3rem; overflow-wrap: anywhere; }
.said { margin: 0 0 1.1rem; padding: .7rem 1.1rem; border-radius: 12px; background: var(--good-bg); color: var(--good); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(12.5rem, 1fr)); gap: 1rem 1.6rem; padding: 1rem 1.1rem; }
figure { margin: 0; min-width: 0; } figcaption { font-size: .88rem; font-weight: 600; margin-bottom: .4rem; } figcaption span { display: block; color: var(--soft); font-weight: 400; }
.chart { display: block; width: 100%; height: 5.6rem; border-bottom: 1px solid var(--line); } .chart.bars rect { fill: var(--accent); }
.chart.line polyline { fill: none; stroke: var(--accent); stroke-width: 2; vector-effect: non-scaling-stroke; } .chart .band { fill: var(--accent); opacity: .3; stroke: var(--accent); stroke-width: 1; vector-effect: non-scaling-stroke; } .chart .limit { stroke: var(--bad); stroke-dasharray: 4 4; vector-effect: non-scaling-stroke; }
.axis { display: flex; justify-content: space-between; color: var(--soft); font-size: .8rem; }
ul.problems { margin: 0; padding: 0 1.1rem .4rem 2.3rem; color: var(--bad); overflow-wrap: anywhere; }
footer { color: var(--soft); font-size: .85rem; display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; margin-top: 1.4rem; }
#lost { position: sticky; top: .6rem; z-index: 1; margin-bottom: 1.1rem; padding: .7rem 1.1rem; border-radius: 12px; box-shadow: var(--shadow); } #lost[hidden] { display: none; }
#state { display: contents; } ul.names { columns: 16rem auto; margin: 0; padding: 0 1.1rem 1rem 2.3rem; overflow-wrap: anywhere; } footer #hold { margin: 0; } .do { display: inline-block; padding: 0; margin: 0 0 0 .6rem; vertical-align: top; } .do summary { font-weight: 400; }
.away { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 46rem) {
  .wrap { padding: 1rem .8rem 2rem; }
  header .about { margin-left: 0; width: 100%; }
  .tiles { grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .6rem; } .tile { padding: .7rem .85rem .8rem; } .tile .big { font-size: 1.3rem; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr { display: block; } tr { border-top: 1px solid var(--line); padding: .6rem .9rem; }
  tbody th, td, td.num { display: flex; justify-content: space-between; gap: 1rem; border: 0; padding: .1rem 0 !important; text-align: right; white-space: normal; }
  tbody th { display: block; text-align: left; } td::before { content: attr(data-label); color: var(--soft); font-size: .88rem; text-align: left; }
  ol.events li { grid-template-columns: 1fr; padding: .55rem .9rem; }
}
@media print { button { display: none; } }
`;

/**
 * The script of the pages. While a page is visible, it is fetched every ten seconds; its live parts
 * are replaced, and the focus returns to the link or button that had it. While text is selected,
 * updates are held, or a form in a live part is open, nothing is replaced, but a daemon that does
 * not answer is still reported. The pages also work without the script.
 */
export const PAGE_SCRIPT = `
const live = document.getElementById("live"), lost = document.getElementById("lost"), button = document.getElementById("hold");
const parts = [...document.querySelectorAll("[data-live]")];
const here = new URL(location.href);
here.hash = "";
if (here.searchParams.has("done")) {
  here.searchParams.delete("done");
  history.replaceState(null, "", here);
}
let held = false;
button.hidden = false;
button.addEventListener("click", () => {
  held = !held;
  button.setAttribute("aria-pressed", String(held));
});
const nameOf = (one) => one.tagName + (one.getAttribute("href") || one.getAttribute("formaction") || one.getAttribute("aria-label") || one.textContent);
const named = (name) => parts.flatMap((part) => [...part.querySelectorAll("a[href], button, summary")]).filter((one) => nameOf(one) === name);
const isWritten = () => parts.some((part) => part.querySelector("details[open] form, input:focus, select:focus, textarea:focus"));
const mayReplace = () => !held && getSelection().isCollapsed && !isWritten();
function show(fresh) {
  const active = document.activeElement;
  const focused = parts.some((part) => part.contains(active)) ? active : null;
  const name = focused && nameOf(focused);
  const place = named(name).indexOf(focused);
  for (const part of parts) {
    const other = fresh.getElementById(part.id);
    if (other) part.replaceChildren(...other.childNodes);
  }
  document.title = fresh.title;
  if (focused) (named(name)[place] || named(name)[0] || live).focus({ preventScroll: true });
}
async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch(here, { signal: AbortSignal.timeout(8000) });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!fresh.getElementById("live")) {
      if (answer.status !== 404) throw new Error(String(answer.status));
      if (mayReplace()) location.reload();
      return;
    }
    lost.hidden = true;
    if (mayReplace()) show(fresh);
  } catch {
    if (lost.hidden) lost.textContent = "The daemon does not answer. What you see is as of " + document.getElementById("as-of").textContent + ".";
    lost.hidden = false;
    document.title = "no answer – chirpwatch";
  }
}
setInterval(refresh, 10000);
document.addEventListener("visibilitychange", refresh);
`;

/** The icon: a dot and two arcs. */
export const PAGE_ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%230b9a80' stroke-width='2.6' stroke-linecap='round'%3E%3Ccircle cx='6' cy='18' r='2.4' fill='%230b9a80'/%3E%3Cpath d='M6 10a8 8 0 0 1 8 8M6 3.5A14.5 14.5 0 0 1 20.500 18'/%3E%3C/svg%3E";

const hashOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * The Content-Security-Policy of the page. It allows the page's own style and script by their
 * hashes, requests to the page's own server, and nothing else.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(PAGE_STYLE)}`,
  `script-src ${hashOf(PAGE_SCRIPT)}`,
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");
