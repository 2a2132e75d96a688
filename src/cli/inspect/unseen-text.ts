/**
 * Formats why no watch has seen an item, with a line for each watch that could have seen it, and
 * what the user can do.
 */
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import type { ExplainView, UnseenLine, UnseenView } from "../../server/schema/explain-view.ts";
import { plural } from "../terminal/table.ts";

const MAX_SHOWN = 20;

export function formatUnseen({
  posted_at: postedAt,
  is_forgotten: isForgotten,
  watches,
  more,
}: UnseenView): string {
  const lines =
    postedAt === null
      ? []
      : [`posted   ${postedAt.slice(0, 19).replace("T", " ")} (its id says so)`];
  if (isForgotten)
    lines.push("kept     no: what was seen at that time is older than state.retention");
  const shown = watches.slice(0, MAX_SHOWN);
  const left = watches.length - shown.length + more;
  const rest = left > 0 ? [`${plural(left, "more target")}: --json shows them`] : [];
  return [...lines, ...shown.map(lineText), ...rest].join("\n");
}

function lineText({ watch, target, reason }: UnseenLine): string {
  const of = target === "" || target === watch ? "" : ` (${cleanLine(target)})`;
  return `${watch}${of}: ${cleanLine(reason)}`;
}

const WATCHES_NAMED = 3;

/**
 * Returns the error if nothing is stored about the item: either no poll found it, or it is older
 * than the retention.
 */
export function neverSeen({ item, item_id: id, first_reads: watches }: ExplainView): ExitError {
  const more = watches.length - WATCHES_NAMED;
  const named = `${watches.slice(0, WATCHES_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const notYet =
    watches.length === 0
      ? ""
      : `The first read of ${named} is not complete and may still find it. `;
  if (id === null) {
    const hint =
      "Ask by tweet id or link, user id or profile link. A handle is known once a watch names it or an alert was about it.";
    return new ExitError(
      EXIT.failed,
      "ITEM_UNKNOWN",
      `${item}: no item with that name was ever seen.`,
      { hint: `${notYet}${hint}` },
    );
  }
  return new ExitError(
    EXIT.failed,
    "ITEM_NEVER_SEEN",
    `${id} was never seen: no poll of any watch returned it.`,
    {
      hint: `${notYet}chirpwatch test WATCH shows what a watch sees now.`,
    },
  );
}
