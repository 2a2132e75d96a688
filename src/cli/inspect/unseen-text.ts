/** Why no watch has seen an item, a line for each that could have. */
import { cleanLine } from "../../render/text/clean-text.ts";
import type { UnseenLine, UnseenView } from "../../server/words/unseen-view.ts";
import { plural } from "../terminal/table.ts";

const MOST_SHOWN = 20;

export function formatUnseen({ posted_at: postedAt, is_forgotten: isForgotten, watches, more }: UnseenView): string {
  const lines = postedAt === null ? [] : [`posted   ${postedAt.slice(0, 19).replace("T", " ")} (its id says so)`];
  if (isForgotten) lines.push("kept     no: what was seen at that time is older than state.retention");
  const shown = watches.slice(0, MOST_SHOWN);
  const left = watches.length - shown.length + more;
  const rest = left > 0 ? [`${plural(left, "more target")}: --json shows them`] : [];
  return [...lines, ...shown.map(lineText), ...rest].join("\n");
}

function lineText({ watch, target, reason }: UnseenLine): string {
  const of = target === "" || target === watch ? "" : ` (${cleanLine(target)})`;
  return `${watch}${of}: ${cleanLine(reason)}`;
}
