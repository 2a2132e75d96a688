/** The three lists of the overview: watches, sinks and the last events. */
import { groupBy } from "../../model/group-by.ts";
import { Html, html } from "../contract/html.ts";
import { outcomesText } from "../contract/delivery-words.ts";
import {
  enrichingWords,
  firstReadWords,
  notRelevantWords,
  slowedWords,
} from "../contract/watch-words.ts";
import { isTroubled, isUnreadable } from "./page-attention.ts";
import { card } from "./layout.ts";
import { counted, countText, lasting, spanText, when } from "../contract/page-words.ts";
import type { EventLine } from "../schema/event-view.ts";
import type { MemberListView, TargetView, WatchView } from "../schema/watch-view.ts";
import type { SinkView, WaitView } from "../schema/sink-view.ts";

/**
 * The maximum number of watches on the page. Rendering ten thousand rows every ten seconds would
 * cost the daemon too much.
 */
export const MAX_WATCHES = 200;

/**
 * Returns the table of those watches that matter most. `watchCount` is the number of all, and those
 * that are not in `watches` have nothing that matters more.
 */
export function watchTable(watches: readonly WatchView[], watchCount: number, nowMs: number): Html {
  const byRank = groupBy(
    watches,
    (watch) => 2 * Number(isTroubled(watch)) + Number(watch.slowed !== null),
  );
  const shown = [3, 2, 1, 0].flatMap((rank) => byRank.get(rank) ?? []).slice(0, MAX_WATCHES);
  const left = watchCount - shown.length;
  const note =
    left > 0
      ? html`<p class="none">${counted(left, "more watch", "more watches")}: see <a href="watches">all by name</a>.</p>`
      : undefined;
  if (watchCount === 0)
    return card(
      "watches",
      "Watches",
      "",
      html`<p class="none">No watches: add one to the configuration.</p>`,
    );
  return card(
    "watches",
    "Watches",
    countText(watchCount),
    html`<table aria-labelledby="watches">
<thead><tr><th scope="col">Watch</th><th scope="col">State</th><th scope="col">Alerts go to</th><th scope="col" class="num">Items known</th><th scope="col" class="num">Requests</th><th scope="col">Last poll</th><th scope="col">Next poll</th></tr></thead>
<tbody>${shown.map((watch) => watchRow(watch, nowMs))}</tbody></table>${note}`,
  );
}

function watchRow(watch: WatchView, nowMs: number): Html {
  const priority = watch.priority === "normal" ? "" : `, ${watch.priority} priority`;
  return html`<tr><th scope="row"><a href="watches/${encodeURIComponent(watch.id)}">${watch.id}</a><span class="sub">${watch.type}, ${watch.schedule}${priority}</span><span class="sub">${targetsText(watch.targets)}</span></th>
<td data-label="State"><div>${watchPill(watch)}<span class="sub">${stateText(watch, nowMs)}</span></div></td>
<td data-label="Alerts go to">${watch.sink}</td>
<td data-label="Items known" class="num">${countText(watch.known_items)}</td>
<td data-label="Requests" class="num">${countText(watch.requests_spent)}</td>
<td data-label="Last poll">${when(watch.last_poll_at, nowMs, "not yet")}</td>
<td data-label="Next poll">${nextPoll(watch, nowMs)}</td></tr>
`;
}

const stateText = (watch: WatchView, nowMs: number): string =>
  [
    unreadText(watch.targets),
    slowedWords(watch.slowed, (iso) => `in ${spanText(Date.parse(iso) - nowMs)}`),
    firstReadWords(watch),
    enrichingWords(watch),
    notRelevantWords(watch),
    ...watch.member_lists.flatMap(longReadText),
  ]
    .filter((text) => text !== "")
    .join("; ");

/**
 * Returns when the watch is polled next. If that time has passed, the poll is due and waits to be
 * started.
 */
function nextPoll({ paused, next_poll_at: at, polled_by: others }: WatchView, nowMs: number): Html {
  if (paused) return html`<span class="quiet nowrap">when resumed</span>`;
  if (at === null && others.length > 0) return html`by ${others.join(", ")}`;
  return at !== null && Date.parse(at) < nowMs ? html`due ${lasting(at, nowMs)}` : when(at, nowMs);
}

export function watchPill(watch: WatchView): Html {
  if (watch.paused) return html`<span class="pill">Paused</span>`;
  if (isTroubled(watch)) return html`<span class="pill warn">Problem</span>`;
  if (watch.targets.some((target) => target.status === "pending"))
    return html`<span class="pill">Starting</span>`;
  return watch.slowed === null
    ? html`<span class="pill good">OK</span>`
    : html`<span class="pill warn">Slowed</span>`;
}

/** Returns what the watch reads: the name of its only target, or the number of its targets. */
const targetsText = ([first, ...others]: readonly TargetView[]): string =>
  first !== undefined && others.length === 0
    ? first.name
    : counted(others.length + (first === undefined ? 0 : 1), "target");

/**
 * Returns a text such as `98 of 100 readable, 1 not indexed, 2 gone`, and nothing if every target
 * can be read. Nothing is counted of a single target.
 */
function unreadText(targets: readonly TargetView[]): string {
  const unreadable = targets.filter(isUnreadable).length;
  const notIndexed = targets.filter((target) => target.status === "not_indexed").length;
  const gone = targets.filter((target) => target.status === "gone").length;
  if (targets.length === 1) return notIndexed === 1 ? "not indexed" : gone === 1 ? "gone" : "";
  const facts = [
    [notIndexed, "not indexed"],
    [gone, "gone"],
  ] as const;
  return [
    ...(unreadable === 0
      ? []
      : [`${countText(targets.length - unreadable)} of ${countText(targets.length)} readable`]),
    ...facts.filter(([count]) => count > 0).map(([count, word]) => `${countText(count)} ${word}`),
  ].join(", ");
}

function longReadText({
  target,
  members,
  first_read_members: read,
}: MemberListView): readonly string[] {
  if (read === null) return [];
  return [
    `first read of ${target}: ${countText(read)}${members === null ? " members" : ` of ${countText(members)}`}`,
  ];
}

export function sinkTable(sinks: readonly SinkView[], nowMs: number): Html {
  return card(
    "sinks",
    "Sinks",
    countText(sinks.length),
    html`<table aria-labelledby="sinks">
<thead><tr><th scope="col">Sink</th><th scope="col">State</th><th scope="col" class="num">Waiting</th><th scope="col">Oldest from</th><th scope="col" class="num">Sent</th><th scope="col" class="num">Dead letters</th></tr></thead>
<tbody>${sinks.map((sink) => sinkRow(sink, nowMs))}</tbody></table>`,
  );
}

function sinkRow(sink: SinkView, nowMs: number): Html {
  return html`<tr><th scope="row"><a href="sinks/${encodeURIComponent(sink.name)}">${sink.name}</a><span class="sub">${[sink.type, sink.place].filter((text) => text !== "").join(", ")}</span></th>
<td data-label="State"><div>${sinkPill(sink)}${sink.breaker === "open" ? html`<span class="sub">${failingText(sink, nowMs)}</span>` : undefined}${waitLines(sink, nowMs)}${repeatLine(sink, nowMs)}${escalationLines(sink, nowMs)}</div></td>
<td data-label="Waiting" class="num">${countText(sink.waiting)}</td>
<td data-label="Oldest from">${when(sink.oldest_at, nowMs)}</td>
<td data-label="Sent" class="num">${countText(sink.sent)}</td>
<td data-label="Dead letters" class="num">${sink.dead > 0 ? html`<strong class="trouble">${countText(sink.dead)}</strong>` : "0"}</td></tr>
`;
}

export function sinkPill({ breaker, dead }: SinkView): Html {
  if (breaker === "open") return html`<span class="pill bad">Failing</span>`;
  return dead > 0
    ? html`<span class="pill warn">Gave up</span>`
    : html`<span class="pill good">OK</span>`;
}

const failingText = (
  { reason, failing_since: since, next_attempt_at: next }: SinkView,
  nowMs: number,
): Html =>
  html`${reason}${since === null ? "" : html`, ${lasting(since, nowMs)}`}${next === null ? "" : html`, next attempt ${when(next, nowMs)}`}`;

/**
 * Returns a line for each reason why messages wait. A failing sink is left out, because its failure
 * is already shown.
 */
const waitLines = ({ waits }: SinkView, nowMs: number): Html[] =>
  waits
    .filter(({ cause }) => cause !== "sink_failing" && cause !== "queued")
    .map(
      (wait) =>
        html`<span class="sub">${countText(wait.count)} waiting, ${wait.reason}${waitUntilText(wait, nowMs)}</span>`,
    );

const repeatLine = ({ repeats }: SinkView, nowMs: number): Html | undefined =>
  repeats === null
    ? undefined
    : html`<span class="sub">${countText(repeats.count)} sent again, next ${when(repeats.next_at, nowMs)}</span>`;

const escalationLines = ({ escalations }: SinkView, nowMs: number): readonly Html[] =>
  escalations.map(
    ({ to, count, next_at: next }) =>
      html`<span class="sub">${countText(count)} to ${to} unless acknowledged, next ${when(next, nowMs)}</span>`,
  );

export function waitUntilText({ cause, until }: WaitView, nowMs: number): Html {
  if (until === null) return html``;
  return html`${cause === "retrying" ? "; next attempt" : ", until"} ${when(until, nowMs)}`;
}

const MAX_EVENTS = 10;

export function eventList(events: readonly EventLine[], nowMs: number): Html {
  if (events.length === 0)
    return card("events", "Last events", "", html`<p class="none">Nothing new yet.</p>`);
  return card(
    "events",
    "Last events",
    "newest first",
    html`<ol class="events">${events.slice(0, MAX_EVENTS).map((event) => eventItem(event, nowMs))}</ol><p class="none"><a href="events">all events</a></p>`,
  );
}

function eventItem(event: EventLine, nowMs: number): Html {
  const origin = event.watch === "" ? event.type : `${event.watch}, ${event.type}`;
  const outcome = outcomesText(event, (iso) => `${iso.slice(0, 16).replace("T", " ")} UTC`);
  return html`<li>${when(event.detected_at, nowMs)}<div><a href="alerts/${encodeURIComponent(event.id)}">${event.title}</a>${event.text === "" ? undefined : html`<div class="text">${event.text}</div>`}<span class="sub">${origin}; ${outcome}</span></div></li>
`;
}

/**
 * Whether a URL may become a link. URLs may come from strangers' posts, so anything but http and
 * https, such as `javascript:`, must stay plain text.
 */
export const isWebLink = (url: string | null): url is string =>
  url !== null && /^https?:\/\//i.test(url);
