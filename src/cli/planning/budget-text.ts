/**
 * Formats the budget: the period with its totals, a plot of the spending, and what each watch,
 * endpoint and key has spent. The view is passed in.
 */
import type { BudgetView, SpentView } from "../../server/schema/budget-view.ts";
import { plotSpending } from "./budget-plot.ts";
import { moneyText } from "./plan-text.ts";
import { formatCount, formatTable, plural } from "../terminal/table.ts";

export interface BudgetPlace {
  readonly nowMs: number;
  /** The width of the terminal in columns. */
  readonly columns: number;
}

const MAX_WATCHES = 20;

export function formatBudget(view: BudgetView, place: BudgetPlace): string {
  const parts = [
    heading(view),
    plotSpending(view, place),
    watchTable(view),
    endpointTable(view),
    keyTable(view),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function heading({ quota, price }: BudgetView): string {
  const money = (requests: number) =>
    price === null ? "" : ` (${moneyText(requests * price.per_request, price.currency)})`;
  const days = `${quota.period_start.slice(0, 10)} to ${quota.period_end.slice(0, 10)}`;
  const lines = [
    `Period: ${days}`,
    `Spent: ${plural(quota.spent, "request")}${money(quota.spent)}${ofLimit(quota)}`,
  ];
  if (quota.expected !== null) {
    // Without a slow-down factor no daemon is running, so the expectation holds only if one is
    // started.
    const when =
      quota.stretch === null ? "by the end if the daemon runs from now on" : "by the end";
    lines.push(
      `Expected ${when}: ${formatCount(quota.expected)}${money(quota.expected)}${askedText(quota)}`,
    );
  }
  if (quota.drift !== 0) {
    const [more, count] = quota.drift > 0 ? ["more", quota.drift] : ["fewer", -quota.drift];
    lines.push(
      `The data service counted ${formatCount(count)} requests ${more} than chirpwatch sent.`,
    );
  }
  return lines.join("\n");
}

function ofLimit({ limit, line }: BudgetView["quota"]): string {
  if (limit === null) return " of an unknown quota";
  const kept =
    line !== null && line < limit ? `; scheduled polls stop at ${formatCount(line)}` : "";
  return ` of ${formatCount(limit)}${kept}`;
}

const EFFECT = {
  degrade: "low priority is slowed down first",
  pause: "polling stops at the soft limit",
} as const;

function askedText({ forecast, expected, on_exhausted: effect }: BudgetView["quota"]): string {
  if (forecast === null || expected === null || forecast <= expected * 1.01) return "";
  return `; the schedules would take ${formatCount(forecast)}, ${EFFECT[effect]}`;
}

function watchTable({ watches, quota, price }: BudgetView): string {
  if (watches.length === 0) return "";
  const rows = watches
    .slice(0, MAX_WATCHES)
    .map((watch) => [
      watch.name,
      formatCount(watch.spent),
      shareText(watch.spent, quota.spent),
      watch.expected === null ? "-" : formatCount(watch.expected),
      ...(price === null
        ? []
        : [moneyText((watch.expected ?? watch.spent) * price.per_request, price.currency)]),
    ]);
  const rest = watches.slice(MAX_WATCHES);
  if (rest.length > 0) rows.push(restRow(rest, quota.spent, price));
  return formatTable(
    [
      { title: "WATCH" },
      { title: "SPENT", align: "right" },
      { title: "SHARE", align: "right" },
      { title: "EXPECTED", align: "right" },
      ...(price === null ? [] : [{ title: "COST", align: "right" } as const]),
    ],
    rows,
  );
}

function restRow(rest: readonly SpentView[], total: number, price: BudgetView["price"]): string[] {
  const spent = rest.reduce((sum, one) => sum + one.spent, 0);
  const expected = rest.reduce((sum, one) => sum + (one.expected ?? one.spent), 0);
  const money = price === null ? [] : [moneyText(expected * price.per_request, price.currency)];
  return [
    `${formatCount(rest.length)} more`,
    formatCount(spent),
    shareText(spent, total),
    formatCount(expected),
    ...money,
  ];
}

const shareText = (part: number, whole: number): string =>
  whole === 0 ? "-" : `${formatCount((part / whole) * 100)}%`;

const endpointTable = ({ endpoints, quota }: BudgetView): string =>
  endpoints.length === 0
    ? ""
    : formatTable(
        [
          { title: "ENDPOINT" },
          { title: "SPENT", align: "right" },
          { title: "SHARE", align: "right" },
        ],
        endpoints.map(({ name, spent }) => [
          name,
          formatCount(spent),
          shareText(spent, quota.spent),
        ]),
      );

const keyTable = ({ quota }: BudgetView): string =>
  quota.keys.length < 2
    ? ""
    : formatTable(
        [
          { title: "KEY" },
          { title: "SPENT", align: "right" },
          { title: "OF", align: "right" },
          { title: "" },
        ],
        quota.keys.map(({ name, spent, limit, aside: suspendedBecause }) => [
          name,
          formatCount(spent),
          limit === null ? "-" : formatCount(limit),
          suspendedBecause === "" ? "" : `suspended: ${suspendedBecause}`,
        ]),
      );
