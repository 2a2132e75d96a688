/**
 * Describes member lists that are too long for one poll: what their first full read takes, and
 * whether they are read in full every day afterwards.
 */
import type { PlanLongListView } from "../../operate/plan/long-list-view.ts";
import type { PlanOnlineView } from "../../operate/plan/plan-view.ts";
import { formatCount, plural } from "./table.ts";

/** Returns a line for each list. */
export const longListLines = (
  watches: readonly { readonly id: string; readonly long_lists: readonly PlanLongListView[] }[],
): readonly string[] =>
  watches.flatMap(({ id, long_lists: lists }) => lists.map((list) => `${id}: ${listText(list)}`));

function listText(list: PlanLongListView): string {
  const { target, members, is_fallback: isFallback } = list;
  const where = isFallback ? ", read only if the service has not indexed the account" : "";
  return [
    `the list of ${nameOf(target)} has ${formatCount(members)} members${where}`,
    firstText(list),
    laterText(list),
  ]
    .filter((text) => text !== "")
    .join("; ");
}

/** Returns a handle with its @, and an id unchanged. */
const nameOf = (target: string): string => (/^(?:@|id:|\d+$)/.test(target) ? target : `@${target}`);

function firstText({
  first_read_requests: requests,
  first_read_days: days,
  tells_newcomers: isBehind,
}: PlanLongListView): string {
  if (days === null) return "";
  const time = days < 1 ? "less than a day" : `about ${plural(Math.round(days), "day")}`;
  const effect = isBehind
    ? "newcomers are reported from the first poll on"
    : "nothing is reported until it is complete";
  return `the first full read takes ${plural(requests, "request")} and ${time}, and ${effect}`;
}

function laterText({
  whole_read_every_seconds: everySeconds,
  whole_read_requests: requests,
}: PlanLongListView): string {
  if (everySeconds === 0)
    return `full reads follow one another without a pause, ${plural(requests, "request")} each`;
  if (everySeconds !== null) return "";
  return `it is not read in full every day: \`full_read_every: 1d\` does that, for ${plural(requests, "request")} each time`;
}

/** Says what `--online` asked the service, and what that cost. */
export function onlineText({ requests, accounts, missing }: PlanOnlineView): string {
  if (requests === 0)
    return "Online: nothing to ask, no watch reads the member list of an account.";
  const unknown = missing.length === 0 ? "" : `; the service does not know ${missing.join(", ")}`;
  const lists =
    accounts === 1 ? "list of 1 account is" : `lists of ${plural(accounts, "account")} are`;
  return `Online: asked how long the ${lists}, ${plural(requests, "request")} (paid)${unknown}.`;
}
