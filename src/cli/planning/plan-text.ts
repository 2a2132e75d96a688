/**
 * Formats the plan: tables, totals, next runs, and what watches can miss. The view is passed in.
 */
import type { PlanView, PlanWatchView } from "../../operate/plan/plan-view.ts";
import { archiveText } from "../../server/contract/archive-words.ts";
import { longListLines, onlineText } from "../terminal/long-list-text.ts";
import { formatCount, formatTable, plural } from "../terminal/table.ts";

export function formatPlan(view: PlanView): string {
  const parts = [
    watchTable(view),
    totals(view),
    assumptions(view.watches),
    longLists(view),
    lists(view.watches),
    nextRuns(view.watches),
    caveats(view.watches),
    view.archive === null ? "" : archiveText(view.archive),
  ];
  if (view.warnings.length > 0)
    parts.push(["Warnings:", ...view.warnings.map((warning) => `  ${warning}`)].join("\n"));
  return parts.filter((part) => part !== "").join("\n\n");
}

const watchTable = (view: PlanView): string =>
  formatTable(
    [
      { title: "WATCH" },
      { title: "TYPE" },
      { title: "SCHEDULE" },
      { title: "STRATEGY" },
      { title: "POLLS", align: "right" },
      { title: "REQUESTS/HOUR", align: "right" },
      { title: "/DAY", align: "right" },
      { title: "/MONTH", align: "right" },
      { title: "QUOTA", align: "right" },
      ...(view.price === null ? [] : [{ title: "COST/MONTH", align: "right" } as const]),
      { title: "DELAY P50", align: "right" },
      { title: "P95", align: "right" },
      { title: "" },
    ],
    view.watches.map((watch) => [
      watch.id,
      watch.type,
      watch.schedule,
      watch.strategies.join(", ") || "-",
      String(watch.polls),
      formatCount(watch.requests_per_hour),
      formatCount(watch.requests_per_day),
      formatCount(watch.requests_per_month),
      shareOf(watch.quota_share),
      ...(view.price === null ? [] : [moneyText(watch.cost_per_month, view.price.currency)]),
      delayText(watch.delay_seconds?.p50),
      delayText(watch.delay_seconds?.p95),
      remarks(watch),
    ]),
  );

const shareOf = (share: number | null): string =>
  share === null ? "-" : `${formatCount(share * 100)}%`;

/** Formats an amount such as `$12.30`; amounts below half a cent keep two significant digits. */
export function moneyText(amount: number | null, currency: string): string {
  if (amount === null) return "-";
  const sign = amount < 0 ? "-" : "";
  const size = Math.abs(amount);
  const digits =
    size > 0 && size < 0.005
      ? { maximumSignificantDigits: 2 }
      : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return `${sign}${currency}${size.toLocaleString("en-US", digits)}`;
}

export function delayText(seconds: number | null | undefined): string {
  if (seconds === undefined || seconds === null) return "-";
  if (seconds < 90) return `${formatCount(seconds)}s`;
  if (seconds < 5_400) return `${formatCount(seconds / 60)}m`;
  return seconds < 172_800
    ? `${formatCount(seconds / 3_600)}h`
    : `${formatCount(seconds / 86_400)}d`;
}

const MAX_NAMED = 3;

/** Lists names. `count` is the total number if `names` holds only the first of them. */
const namesOf = (names: readonly string[], count = names.length): string =>
  count <= MAX_NAMED
    ? names.join(", ")
    : `${names.slice(0, MAX_NAMED).join(", ")} and ${formatCount(count - MAX_NAMED)} more`;

function remarks(watch: PlanWatchView): string {
  const shared =
    watch.sharers === 0 ? [] : [`shared with ${namesOf(watch.shared_with, watch.sharers)}`];
  const unresolved =
    watch.unresolved_targets === 0
      ? []
      : [`${plural(watch.unresolved_targets, "account")} not looked up yet`];
  const isPiggybacked = watch.polls > 0 && watch.requests_per_month === 0;
  const piggybacked = isPiggybacked ? ["polled in requests of other watches"] : [];
  return [
    ...(watch.state === "active" ? [] : [watch.state]),
    ...shared,
    ...piggybacked,
    ...unresolved,
  ].join("; ");
}

function totals(view: PlanView): string {
  const { total } = view;
  const rescans =
    total.sweep_requests_per_day > 0
      ? `, ${formatCount(total.sweep_requests_per_day)} of them a day to rescan for late items`
      : "";
  const money =
    view.price === null ? "" : ` (${moneyText(total.cost_per_month, view.price.currency)})`;
  const month = `${formatCount(total.requests_per_month)} a month${money}`;
  const pace = `${plural(total.requests_per_hour, "request")} an hour, ${formatCount(total.requests_per_day)} a day, ${month}`;
  const rechecks =
    total.recheck_requests_per_day > 0
      ? `, ${formatCount(total.recheck_requests_per_day)} of them a day to recheck fresh tweets`
      : "";
  return `Total: ${plural(total.polls, "poll")}, ${pace}${rescans}${rechecks}.\n${rangeText(view)}${firstText(view)}${quotaText(view)}`;
}

const firstText = ({ total: { first_requests: requests } }: PlanView): string =>
  requests === 0
    ? ""
    : `Once, at the start: ${plural(requests, "more request")}, to read what is there already and to look up handles.\n`;

function rangeText({ total: { requests_per_month_range: range } }: PlanView): string {
  if (range === null) return "";
  return `That is the midpoint of ${formatCount(range.low)} to ${formatCount(range.high)} a month, until the daemon has counted a day.\n`;
}

function quotaText({ quota, total }: PlanView): string {
  if (quota.limit === null)
    return `Quota: unknown (${quota.reason}). Set api.quota.monthly to plan against it.`;
  const origin =
    quota.source === "configured"
      ? "as configured"
      : "what the key has left (remaining_requests of /key-usage-info)";
  const share = total.quota_share === null ? "" : `; the plan takes ${shareOf(total.quota_share)}`;
  return `Quota: ${plural(quota.limit, "request")}, ${origin}${share}.`;
}

function longLists(view: PlanView): string {
  const lines = longListLines(view.watches).map((line) => `  ${line}`);
  const asked = view.online === null ? [] : [onlineText(view.online)];
  return [...asked, ...(lines.length === 0 ? [] : ["Long member lists:", ...lines])].join("\n");
}

function lists(watches: readonly PlanWatchView[]): string {
  const lines = watches.flatMap(({ id, via_list: list }) => {
    if (list === null || list.most_requests_per_month_each === 0) return [];
    const missing =
      list.missing === 0
        ? ""
        : ` (${plural(list.missing, "account")} missing from it now, read from their own timelines, counted above)`;
    const each = `each account that leaves the list ${list.list} adds up to ${formatCount(list.most_requests_per_month_each)} requests a month`;
    return [`  ${id}: ${each} until it is back${missing}`];
  });
  return lines.length === 0 ? "" : ["Possible extra requests:", ...lines].join("\n");
}

function nextRuns(watches: readonly PlanWatchView[]): string {
  const lines = watches.flatMap((watch) => {
    const { id, next_runs: runs } = watch;
    return runs.length === 0
      ? []
      : [[id, `${runs.map(shortTime).join("  ")}${inexactText(watch)}`]];
  });
  return lines.length === 0
    ? ""
    : formatTable(
        [{ title: "WATCH" }, { title: "NEXT RUNS (UTC; the very first poll is at start)" }],
        lines,
      );
}

function inexactText({ next_runs_exact: isExact, stretch }: PlanWatchView): string {
  if (isExact) return "";
  return stretch > 1
    ? `  (in fact later: polls are ${stretch.toFixed(1)} times slower now because the quota is short)`
    : "  (estimates: they depend on what is found)";
}

const shortTime = (iso: string): string => iso.slice(5, 19).replace("T", " ");

/** Lists each caveat once, with the watches that it applies to. */
const caveats = (watches: readonly PlanWatchView[]): string =>
  saidOnce(
    "What these watches can miss:",
    watches.map(({ id, caveats: own }) => [id, own]),
  );

/** Lists each assumption of the estimates once, with the watches that it applies to. */
const assumptions = (watches: readonly PlanWatchView[]): string =>
  saidOnce(
    "These are estimates until the daemon has counted a day. They assume:",
    watches.map(({ id, assumes }) => [id, assumes]),
  );

function saidOnce(
  title: string,
  said: readonly (readonly [id: string, sentences: readonly string[]])[],
): string {
  const bySentence = new Map<string, string[]>();
  for (const [id, sentences] of said) {
    for (const sentence of sentences) {
      const ids = bySentence.get(sentence);
      if (ids === undefined) bySentence.set(sentence, [id]);
      else ids.push(id);
    }
  }
  const lines = [...bySentence].map(([sentence, ids]) => `  ${namesOf(ids)}: ${sentence}`);
  return lines.length === 0 ? "" : [title, ...lines].join("\n");
}
