/**
 * Formats what happened to an item, from its verdict to its messages, in a block of lines for each
 * watch.
 */
import type { Verdict } from "../../model/event.ts";
import type {
  ExplainDelivery,
  ExplainLine,
  ExplainView,
} from "../../server/schema/explain-view.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import { waitText, whoText } from "../../server/contract/delivery-words.ts";
import { plural } from "../terminal/table.ts";
import { pathLines } from "./path-text.ts";
import { ownValue } from "../../model/own-value.ts";

const VERDICTS: Readonly<Record<Verdict, string>> = {
  event: "news: it became an alert",
  dead: "not delivered: it became an alert, which was given up",
  silenced: "not delivered: silenced",
  deleted: "not delivered: the post was gone before the alert was sent",
  baseline: "no alert: it was there when the watch began",
  filtered: "no alert: filtered",
  too_old: "no alert: too old when it was found",
  muted: "no alert: muted",
  duplicate: "no alert: duplicate",
};

export const formatExplanation = ({ item, item_id: id, verdicts }: ExplainView): string =>
  [`Item ${id ?? item}`, ...verdicts.map(watchBlock)].join("\n\n");

function watchBlock(line: ExplainLine): string {
  const lines = [
    `${line.watch} (${cleanLine(line.target)})`,
    `  written  ${shortTime(line.occurred_at)}`,
    `  seen     ${shortTime(line.seen_at)}`,
    `  verdict  ${VERDICTS[line.verdict]}${reasonOf(line)}`,
  ];
  if (line.event !== null) lines.push(`  event    ${line.event.type} ${line.event.id}`);
  if (line.acknowledged !== null) lines.push(`  ack      ${cleanLine(whoText(line.acknowledged))}`);
  for (const delivery of line.deliveries)
    lines.push(`  sink     ${deliveryText(delivery)}`, ...pathLines(delivery));
  if (line.event !== null && line.deliveries.length === 0)
    lines.push("  sink     none: no route took it");
  return lines.join("\n");
}

/** Returns the reason of a verdict; empty if it would only repeat the verdict. */
const reasonOf = ({ verdict, detail }: ExplainLine): string =>
  detail === "" || verdict === "baseline" ? "" : ` (${cleanLine(detail)})`;

function deliveryText(delivery: ExplainDelivery): string {
  const { sink, message_id: message, attempts, sent_at: sentAt, ref, wait } = delivery;
  const parts = [
    `${sink}: ${cleanLine(stateText(delivery))}${sentAt === null ? "" : ` ${shortTime(sentAt)}`}`,
  ];
  if (message !== null) parts.push(`message ${message}`);
  if (attempts > 0) parts.push(plural(attempts, "attempt"));
  if (ref !== null) parts.push(`stored there as ${cleanLine(ref)}`);
  // The reason for waiting already includes the last failure.
  if (delivery.detail !== "" && wait === null) parts.push(cleanLine(delivery.detail));
  return parts.join(", ");
}

function stateText({ state, wait }: ExplainDelivery): string {
  const word = ownValue(STATES, state) ?? state;
  if (wait === null || wait.cause === "queued") return word;
  return `${state === "held" ? "waiting" : word}, ${waitText(wait, shortTime)}`;
}

const STATES: Readonly<Record<string, string>> = {
  sealed: "on its way",
  dead: "given up",
  summarised: "counted in a digest, not listed",
  not_published: "not published",
  not_enriched: "sent without the enrichment",
  duplicate: "duplicate of another message",
};

const shortTime = (iso: string): string => iso.slice(0, 19).replace("T", " ");
