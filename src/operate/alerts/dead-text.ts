/**
 * Describes dead letters with one sentence for each sink and cause. Ops alerts, the status and
 * commands use the same sentences.
 */
import { formatHours } from "../../model/duration.ts";
import type { DeadGroup } from "../../model/dead-letters.ts";

/**
 * Returns a sentence such as `3 alerts for slack-brand were given up after 24h (retry_for): Slack
 * answered 500`. `retryForMs` is undefined if the sink is gone.
 */
export function deadSentence(
  { sink, cause, alerts, error }: Omit<DeadGroup, "messageIds">,
  retryForMs: number | undefined,
): string {
  const many = alerts === 1 ? "1 alert" : `${alerts} alerts`;
  const were = alerts === 1 ? "was" : "were";
  if (cause === "expired") {
    const after = retryForMs === undefined ? "retry_for" : `${formatHours(retryForMs)} (retry_for)`;
    return `${many} for ${sink} ${were} given up after ${after}: ${error}`;
  }
  if (cause === "unrendered") return `${many} for ${sink} ${were} given up: ${error}`;
  return `${many} for ${sink} ${were} refused for good: ${error}`;
}
