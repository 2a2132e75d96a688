/**
 * Lists why the daemon needs attention, with one sentence for each problem that says what to do
 * about it. The page, the API and the terminal all show these sentences.
 */
import type { UpstreamTrouble } from "../../engine/health/upstream-monitor.ts";
import { unreadableText } from "../../polling/targets/target-alerts.ts";
import { isUnreadable } from "../../server/page/page-attention.ts";
import type { ConfigView } from "../../server/schema/status-view.ts";
import type { SinkView } from "../../server/schema/sink-view.ts";
import type { WatchView } from "../../server/schema/watch-view.ts";
import { isoTime } from "../../model/clock.ts";
import type { FailingTemplate } from "../../deliver/stages/word-events.ts";
import { type QuotaFacts, quotaReasons } from "./quota-view.ts";

export interface Troubles {
  /** Why the state cannot be written; undefined while it can. */
  readonly store: string | undefined;
  /** What is wrong with the data service; undefined if it answers. */
  readonly upstream: string | undefined;
  readonly quota: QuotaFacts;
  readonly sinks: readonly SinkView[];
  /** The sentences about alerts that were given up. */
  readonly dead: readonly string[];
  readonly watches: readonly WatchView[];
  readonly templates?: readonly FailingTemplate[];
  readonly refusal: ConfigView["failed_reload"];
  /**
   * A sentence that says that another replica has a newer configuration; undefined if no replica
   * has one.
   */
  readonly superseded?: string | undefined;
}

/**
 * Returns the sentences; none if all is well. The errors of a refused reload are not included,
 * because they are shown next to these sentences.
 */
export function reasonsOf({
  store,
  upstream,
  quota,
  sinks,
  dead,
  watches,
  templates = [],
  refusal,
  superseded,
}: Troubles): readonly string[] {
  return [
    ...(store === undefined ? [] : [`the state cannot be written: ${store}`]),
    ...(upstream === undefined ? [] : [`the data service: ${upstream}`]),
    ...quotaReasons(quota),
    ...sinks.flatMap(brokenText),
    ...dead,
    ...watches.flatMap(unreadableIn),
    ...templates.map(failingText),
    ...(refusal === null
      ? []
      : [`the changed configuration was refused at ${refusal.at}; the old one stays active`]),
    ...(superseded === undefined ? [] : [superseded]),
  ];
}

/**
 * Returns a text such as `throttled (since 2026-03-10 13:17:02 UTC; next request 2026-03-10
 * 13:22:02 UTC)`.
 */
export function upstreamText({ reason, sinceMs, untilMs }: UpstreamTrouble): string {
  if (untilMs === undefined) return reason;
  return `${reason} (since ${shortTime(isoTime(sinceMs))}; next request ${shortTime(isoTime(untilMs))})`;
}

const failingText = ({ template, sink, problem, count, lastAtMs }: FailingTemplate): string =>
  `the template ${template} failed for ${sink}, which got the default message ${count === 1 ? "once" : `${count} times`}, last ${shortTime(isoTime(lastAtMs))}: ${problem}`;

function brokenText({
  name,
  breaker,
  reason,
  hint,
  waiting,
  failing_since: since,
  next_attempt_at: next,
}: SinkView): readonly string[] {
  if (breaker === "closed") return [];
  const facts = [
    since === null ? "" : `since ${shortTime(since)}`,
    waiting === 0 ? "" : `${waiting} waiting, kept`,
    next === null ? "" : `next attempt ${shortTime(next)}`,
  ].filter((fact) => fact !== "");
  return [
    `${name} takes no messages: ${reason}${facts.length === 0 ? "" : ` (${facts.join("; ")})`}${hint === "" ? "" : `. ${hint.charAt(0).toUpperCase()}${hint.slice(1)}`}`,
  ];
}

/** Returns a time such as `2026-03-10 13:17:02 UTC`. */
const shortTime = (iso: string): string => `${iso.slice(0, 19).replace("T", " ")} UTC`;

/** Returns one sentence for all targets of a watch that have the same problem. */
function unreadableIn({ id, targets }: WatchView): readonly string[] {
  const unreadable = targets.filter(isUnreadable);
  if (unreadable.length === 0) return [];
  const byCause = new Map<string, string[]>();
  for (const { name, reason } of unreadable)
    byCause.set(reason, [...(byCause.get(reason) ?? []), name]);
  return [...byCause].map(([reason, names]) => unreadableText(id, names, reason));
}
