/** Formats the comparison of two plans. */
import { memoryText } from "../../operate/changes/memory-changes.ts";
import { sendsText } from "../../operate/changes/sent-changes.ts";
import type { DiffLine, PlanDiffView } from "../../operate/plan/plan-diff.ts";
import { delayText, moneyText } from "./plan-text.ts";
import { formatCount, formatTable } from "../terminal/table.ts";

export function formatDiff(view: PlanDiffView): string {
  const same = view.watches.filter(({ state }) => state === "same").length;
  const changed = view.watches.filter(({ state }) => state !== "same");
  const unchanged =
    view.memory.length === 0 ? "No watch changes." : "No watch changes in cost or delay.";
  const parts = [changed.length === 0 ? unchanged : diffTable(changed)];
  if (same > 0 && changed.length > 0)
    parts.push(
      same === 1 ? "1 watch stays as it is." : `${formatCount(same)} watches stay as they are.`,
    );
  if (view.memory.length > 0)
    parts.push(
      [
        "Effect on what the watches remember:",
        ...view.memory.map((one) => `  ${memoryText(one)}`),
      ].join("\n"),
    );
  const sent = view.memory.flatMap(sendsText);
  if (sent.length > 0)
    parts.push(["What would be sent:", ...sent.map((line) => `  ${line}`)].join("\n"));
  else if (changed.length > 0 || view.memory.length > 0)
    parts.push("The change itself would send nothing.");
  if (view.stranded.length > 0)
    parts.push(["What would wait:", ...view.stranded.map((line) => `  ${line}`)].join("\n"));
  parts.push(totalText(view));
  return parts.join("\n\n");
}

const diffTable = (lines: readonly DiffLine[]): string =>
  formatTable(
    [
      { title: "WATCH" },
      { title: "" },
      { title: "BEFORE", align: "right" },
      { title: "AFTER", align: "right" },
      { title: "REQUESTS/MONTH", align: "right" },
      { title: "DELAY P50" },
    ],
    lines.map((line) => [
      line.id,
      line.state === "changed" ? "" : line.state,
      line.before === null ? "-" : formatCount(line.before),
      line.after === null ? "-" : formatCount(line.after),
      signed(line.difference),
      delays(line),
    ]),
  );

const signed = (count: number): string =>
  count > 0 ? `+${formatCount(count)}` : count < 0 ? `-${formatCount(-count)}` : "0";

const delays = ({ delay_before: before, delay_after: after }: DiffLine): string =>
  before === after ? delayText(after) : `${delayText(before)} -> ${delayText(after)}`;

function totalText({ total, quota, price }: PlanDiffView): string {
  const money =
    price === null || total.cost_difference === null
      ? ""
      : ` (${total.cost_difference > 0 ? "+" : ""}${moneyText(total.cost_difference, price.currency)})`;
  const of =
    quota.limit === null ? "the quota is unknown" : `the quota is ${formatCount(quota.limit)}`;
  return `Total: ${formatCount(total.before)} -> ${formatCount(total.after)} requests a month, ${signed(total.difference)}${money}; ${of}.`;
}
