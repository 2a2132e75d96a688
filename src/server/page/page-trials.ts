/** The pages that say what a test or a backfill of a watch costs, and what came of it. */
import { html, type Html } from "../contract/html.ts";
import { counted } from "../contract/page-words.ts";
import type { Backfilled, BackfillPrice, TestedTarget, TestPrice } from "../contract/trials.ts";
import { card, renderLayout, said } from "./layout.ts";

const ROOT = "../../";
/** The texts of a first page are enough to see whether a watch finds what it should. */
const MAX_ITEMS = 50;

const frame = (id: string, main: Html): string =>
  renderLayout({
    title: id,
    root: ROOT,
    main: html`${main}<p class="none"><a href="${ROOT}watches/${encodeURIComponent(id)}">back to ${id}</a></p>`,
  });

export const renderTestPage = (id: string, { requests, leftOut }: TestPrice): string =>
  frame(
    id,
    card(
      "test",
      `Test ${id}`,
      `costs ${counted(requests, "request")}`,
      html`<p class="none">Polls the watch once and shows what would raise an alert. Nothing is stored or sent.${leftOut > 0 ? ` ${counted(leftOut, "target")} of it ${leftOut === 1 ? "is" : "are"} left out.` : ""}</p><form method="post" action="test"><button type="submit">Pay for ${counted(requests, "request")} and test</button></form>`,
    ),
  );

export function renderTestedPage(id: string, tested: readonly TestedTarget[]): string {
  const items = tested.flatMap((target) => target.items);
  const news = items.filter(({ rejected }) => rejected === "");
  const problems = tested.filter(({ problem }) => problem !== "");
  return frame(
    id,
    card(
      "tested",
      `Test of ${id}`,
      `${news.length} of ${counted(items.length, "item")} would raise an alert, if new`,
      html`${problems.length === 0 ? undefined : html`<ul class="problems">${problems.map(({ name, problem }) => html`<li>${name}: ${problem}</li>`)}</ul>`}<ol class="events">${[...news, ...items.filter(({ rejected }) => rejected !== "")].slice(0, MAX_ITEMS).map(({ title, text, rejected }) => html`<li><span class="quiet">${rejected === "" ? "alert" : "no alert"}</span><div>${title}<div class="text">${text}</div>${rejected === "" ? undefined : html`<span class="sub">because ${rejected}</span>`}</div></li>`)}</ol>`,
    ),
  );
}

export interface BackfillPageParts {
  readonly id: string;
  readonly since: string;
  readonly max: number;
  readonly price?: BackfillPrice | undefined;
  readonly outcome?: Backfilled;
  readonly done?: string | undefined;
}

export function renderBackfillPage({
  id,
  since,
  max,
  price,
  outcome,
  done,
}: BackfillPageParts): string {
  const result = outcome === undefined ? done : outcomeText(outcome);
  return frame(
    id,
    html`${said(result)}${card("backfill", `The past of ${id}`, priceText(price, outcome), html`<form method="get" action="backfill"><label>Back to<input name="since" value="${since}" placeholder="7d or 2026-07-27"></label><button type="submit">Estimate</button></form>${price === undefined ? undefined : payForm(since, max)}`)}`,
  );
}

const payForm = (since: string, max: number): Html =>
  html`<form method="post" action="backfill"><p class="sub">Reads what was posted since ${since} and sends what the watch had not seen as alerts, gathered in one list.</p><input type="hidden" name="since" value="${since}"><label>At most so many requests<input name="max_requests" value="${max}" inputmode="numeric"></label><label>Your name<input name="by" maxlength="100" autocomplete="name"></label><button type="submit">Pay and send alerts</button></form>`;

function priceText(price: BackfillPrice | undefined, outcome: Backfilled | undefined): string {
  if (outcome !== undefined) return "";
  if (price === undefined)
    return "nothing of its past can be read: it has no feed, or is not polled";
  if (price.unread === 0) return "read and paid for already: costs nothing";
  return price.requests === undefined
    ? "the watch is too young for an estimate"
    : `costs about ${counted(Math.max(1, Math.round(price.requests)), "request")}`;
}

function outcomeText({ alerts, requests, cut }: Backfilled): string {
  const sent = `${counted(alerts, "alert")} for ${counted(requests, "request")}, sent within a minute.`;
  return cut === ""
    ? sent
    : `${sent} The past is not complete: ${cut}. Ask again to continue; within a day, nothing is paid for twice.`;
}
