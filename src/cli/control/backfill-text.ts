/** The texts of a backfill: its expected cost, its progress and its result. */
import type { BackEstimate } from "../../operate/backfill/estimate-back.ts";
import type { BackfillView } from "../../server/schema/backfill-view.ts";
import { plural } from "../terminal/table.ts";
import type { BackfillPlan } from "./backfill-plan.ts";

const NAMED = 5;

export function estimateText(
  {
    watch,
    sinceMs,
    polls,
    leftOut,
    left,
  }: Pick<BackfillPlan, "watch" | "sinceMs" | "polls" | "leftOut" | "left">,
  { unread, paid, itemsPerDay, requests }: BackEstimate,
  most: number,
): readonly string[] {
  const since = `${new Date(sinceMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const lines = [`${watch.id}: back to ${since}, ${plural(polls.length, "source")}`];
  if (paid > 0)
    lines.push(
      `${plural(paid, "source")} already read and paid for within the last day: nothing to pay`,
    );
  if (leftOut.length > 0) lines.push(`left out, not looked up yet: ${namesText(leftOut)}`);
  if (unread === 0) return lines;
  const basis =
    itemsPerDay === undefined
      ? ""
      : ` (based on ${Math.round(itemsPerDay).toLocaleString("en-US")} items a day so far)`;
  const cost =
    requests === undefined
      ? `cost not known yet: the watch is less than an hour old; at least ${plural(unread, "request")}`
      : `about ${plural(requests, "request")}${basis}`;
  const limit = left === most ? "what is left of the quota before its reserve" : "--max-requests";
  return [...lines, `${cost}, ${plural(most, "request")} at most (${limit})`];
}

const namesText = (names: readonly string[]): string =>
  `${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ""}`;

const BAR = 20;

export function progressText(at: {
  readonly spent: number;
  readonly expected: number | undefined;
  readonly tweets: number;
  /** The share of the time span that has been read in the current source, between 0 and 1. */
  readonly share: number;
}): string {
  const full = Math.round(Math.min(Math.max(at.share, 0), 1) * BAR);
  const requests =
    at.expected === undefined
      ? plural(at.spent, "request")
      : `${at.spent} of about ${plural(at.expected, "request")}`;
  return `[${"#".repeat(full)}${".".repeat(BAR - full)}] ${requests}, ${plural(at.tweets, "tweet")}`;
}

/**
 * Returns the line that reports the result. `effect` says when the alerts are sent; it is undefined
 * for a dry run.
 */
export function resultText(
  { alerts, filtered, known, left }: BackfillView,
  { effect, spent }: { readonly effect: string | undefined; readonly spent: number },
): string {
  const others = [
    known > 0 ? `${known} announced before` : "",
    filtered > 0 ? `${filtered} filtered` : "",
    left > 0 ? `${left} newer than what the watch has read: its next poll reports them` : "",
  ].filter((text) => text !== "");
  const rest = others.length === 0 ? "" : `; ${others.join(", ")}`;
  const paid = `${plural(spent, "request")} paid`;
  if (effect === undefined)
    return `${paid}. ${plural(alerts, "alert")} would be sent${rest}. Nothing was sent. Run it again without --dry-run: within a day, the same range costs nothing`;
  return `${paid}. ${plural(alerts, "alert")} ${alerts === 1 ? "goes" : "go"} out ${effect}${rest}`;
}
