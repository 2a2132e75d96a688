/**
 * Formats how an alert came to its sink and each attempt to send it. Each fact has a line of its
 * own below the line of the sink.
 */
import { cleanLine } from "../../render/text/clean-text.ts";
import { pathFacts } from "../../server/contract/path-words.ts";
import type { ExplainDelivery } from "../../server/schema/explain-view.ts";

export function pathLines(delivery: ExplainDelivery): readonly string[] {
  const { attempt_log: attempts = [], link } = delivery;
  const facts = pathFacts(delivery);
  const edit = facts.filter(([title]) => title === "edit");
  const lines: readonly (readonly [title: string, text: string])[] = [
    ...facts.filter(([title]) => title !== "edit"),
    // If the first attempt succeeded, the line of the sink already shows it.
    ...(attempts.length === 1 && attempts[0]?.result === "sent" ? [] : attempts).map(
      ({ at, result, answer }) =>
        [
          "attempt",
          `${at.slice(0, 19).replace("T", " ")} ${result}${result === "failed" ? `: ${answer}` : ""}`,
        ] as const,
    ),
    ...edit,
    ...(link === null || link === undefined ? [] : [["link", link] as const]),
  ];
  return lines.map(([title, text]) => `    ${title.padEnd(9)}${cleanLine(text)}`);
}
