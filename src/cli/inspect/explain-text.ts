/**
 * Formats what happened to an item, from its verdict to its messages, in a block of lines for each
 * watch.
 */
import type {
  ExplainDelivery,
  ExplainLine,
  ExplainView,
} from "../../server/schema/explain-view.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import {
  stateWords,
  VERDICT_WORDS,
  waitText,
  whoText,
} from "../../server/contract/delivery-words.ts";
import { plural } from "../terminal/table.ts";
import { pathLines } from "./path-text.ts";

export const formatExplanation = ({ item, item_id: id, verdicts }: ExplainView): string =>
  [`Item ${id ?? item}`, ...verdicts.map(watchBlock)].join("\n\n");

function watchBlock(line: ExplainLine): string {
  const lines = [
    `${line.watch} (${cleanLine(line.target)})`,
    `  written  ${shortTime(line.occurred_at)}`,
    `  seen     ${shortTime(line.seen_at)}`,
    `  verdict  ${VERDICT_WORDS[line.verdict]}${reasonOf(line)}`,
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
  const word = stateWords(state);
  if (wait === null || wait.cause === "queued") return word;
  return `${state === "held" ? "waiting" : word}, ${waitText(wait, shortTime)}`;
}

const shortTime = (iso: string): string => iso.slice(0, 19).replace("T", " ");
