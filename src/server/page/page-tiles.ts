/** The four figures at the top of the status page: watches, requests, data service, alerts. */
import { Html, html } from "../contract/html.ts";
import { counted, countText, dayText, lasting, when } from "../contract/page-words.ts";
import { isTroubled } from "./page-attention.ts";
import type { QuotaView } from "../schema/budget-view.ts";
import type { StatusView } from "../schema/status-view.ts";

export const tiles = (
  status: StatusView,
  watchCount: number,
  nowMs: number,
): Html => html`<h2 class="away">Overview</h2>
<div class="tiles">
${watches(status, watchCount)}${requests(status.quota)}${dataService(status, nowMs)}${alerts(status, nowMs)}
</div>`;

function tile(title: string, big: Html | string, below: Html | string, between?: Html): Html {
  return html`<section class="tile"><h3>${title}</h3><p class="big">${big}</p>${between}<p>${below}</p></section>`;
}

function watches(status: StatusView, watchCount: number): Html {
  const paused = status.watches.filter((watch) => watch.paused).length;
  const troubled = status.watches.filter(isTroubled).length;
  const slowed = status.watches.filter((watch) => watch.slowed !== null).length;
  const notes = [
    paused > 0 ? `${countText(paused)} paused` : "",
    troubled > 0 ? `${countText(troubled)} with a problem` : "",
    slowed > 0 ? `${countText(slowed)} slowed down by the quota` : "",
  ].filter(Boolean);
  const active = watchCount - paused;
  return tile(
    "Watches",
    html`${countText(active)} <small>active</small>`,
    notes.join(", ") || "all well",
  );
}

function requests(quota: QuotaView): Html {
  const rest = `until ${dayText(quota.period_end)}`;
  const expected = quota.expected === null ? "" : `${countText(quota.expected)} expected `;
  const isBeyond =
    quota.forecast !== null && quota.expected !== null && quota.forecast > quota.expected;
  const asked = isBeyond ? `, the schedules ask for ${countText(quota.forecast ?? 0)}` : "";
  if (quota.limit === null)
    return tile("Requests", countText(quota.spent), `${expected}${rest}, limit unknown`);
  return tile(
    "Requests",
    html`${countText(quota.spent)} <small>of ${countText(quota.limit)}</small>`,
    `${expected}${rest}${asked}`,
    quotaBar(quota.spent, quota.forecast ?? quota.spent, quota.limit),
  );
}

/**
 * Draws the bar of the quota as an SVG with width attributes, because the page's policy forbids
 * inline styles.
 */
function quotaBar(spent: number, forecast: number, limit: number): Html {
  const share = (count: number) =>
    (limit === 0 ? 100 : Math.min(100, (100 * count) / limit)).toFixed(2);
  const words = `${share(spent)}% spent, ${share(forecast)}% expected`;
  return html`<svg class="bar${forecast > limit ? " over" : ""}" viewBox="0 0 100 7" preserveAspectRatio="none" role="img" aria-label="${words}"><rect width="100" height="7"/><rect class="forecast" width="${share(forecast)}" height="7"/><rect class="spent" width="${share(spent)}" height="7"/></svg>`;
}

function dataService({ upstream }: StatusView, nowMs: number): Html {
  const big = upstream.up ? html`Answering` : html`<span class="trouble">Not answering</span>`;
  const span = upstream.since === null ? undefined : lasting(upstream.since, nowMs);
  const next =
    upstream.next_attempt_at === null
      ? undefined
      : html`, next request ${when(upstream.next_attempt_at, nowMs)}`;
  return tile(
    "Data service",
    big,
    html`${upstream.reason}${upstream.reason !== "" && span !== undefined ? ", " : ""}${span}${next}`,
  );
}

function alerts({ sinks }: StatusView, nowMs: number): Html {
  const sum = (pick: (sink: StatusView["sinks"][number]) => number) =>
    sinks.reduce((total, sink) => total + pick(sink), 0);
  const waiting = sum((sink) => sink.waiting);
  const dead = sum((sink) => sink.dead);
  const oldest = sinks
    .flatMap((sink) => (sink.oldest_at === null ? [] : [sink.oldest_at]))
    .sort()[0];
  const below = html`${waiting === 0 ? "none waiting" : html`${countText(waiting)} waiting, oldest from ${when(oldest ?? null, nowMs)}`}${dead > 0 ? `, ${counted(dead, "dead letter")}` : ""}`;
  return tile("Alerts", html`${countText(sum((sink) => sink.sent))} <small>sent</small>`, below);
}
