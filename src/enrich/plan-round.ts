/**
 * Decides what to do now with each waiting event: ask about it, use a cached answer, or release it
 * without an answer. Pure.
 */
import type { WaitingEvent } from "../model/enrichment.ts";
import type { ChirpEvent } from "../model/event.ts";
import type { EnrichRule } from "../model/watch.ts";
import type { Circuit } from "./circuit.ts";
import type { Enrichment } from "./read-enrichment.ts";

export interface PlannedEvent {
  readonly waiting: WaitingEvent;
  readonly how:
    | { readonly kind: "ask" }
    | { readonly kind: "known"; readonly answer: Enrichment }
    /**
     * The event is released without an answer. If `reason` is "", the reason is that of its last
     * attempt.
     */
    | { readonly kind: "fail"; readonly reason: string };
}

export interface RoundFacts {
  readonly rule: EnrichRule | undefined;
  readonly circuit: Pick<Circuit, "allowed" | "failing">;
  readonly cached: (event: ChirpEvent) => Enrichment | undefined;
  readonly nowMs: number;
  readonly startedAtMs: number;
}

/**
 * Returns when an event is released without an answer at the latest. The time since the event was
 * stored counts across restarts, because a daemon that restarts repeatedly would otherwise hold the
 * event indefinitely. After a start there is time for one more attempt, so that an event can get
 * its answer even if the daemon was stopped for long.
 */
export const deadlineOf = (
  sinceMs: number,
  { maxHoldMs, timeoutMs }: EnrichRule,
  startedAtMs: number,
): number => Math.max(sinceMs + maxHoldMs, startedAtMs + timeoutMs);

/**
 * Plans the due events, oldest first. Stops at the first event that must be asked about but has no
 * place in this round, so that events keep their order.
 */
export function planRound(
  due: readonly WaitingEvent[],
  facts: RoundFacts,
): readonly PlannedEvent[] {
  const { rule, circuit, cached, nowMs, startedAtMs } = facts;
  if (rule === undefined)
    return due.map((waiting) => ({
      waiting,
      how: { kind: "fail", reason: "the watch no longer has `enrich`" },
    }));
  const most = circuit.allowed(rule.concurrency);
  const isOpen = most < rule.concurrency && circuit.failing !== undefined;
  const planned: PlannedEvent[] = [];
  let asked = 0;
  for (const waiting of due) {
    const answer = cached(waiting.event);
    const isOverdue = nowMs >= deadlineOf(waiting.sinceMs, rule, startedAtMs);
    if (answer !== undefined) planned.push({ waiting, how: { kind: "known", answer } });
    else if (isOverdue)
      planned.push({ waiting, how: { kind: "fail", reason: waiting.error === "" ? OVERDUE : "" } });
    else if (asked < most) {
      asked += 1;
      planned.push({ waiting, how: { kind: "ask" } });
    } else if (!isOpen) break;
    else if (rule.onError === "pass")
      planned.push({
        waiting,
        how: {
          kind: "fail",
          reason: `not asked, because it is failing: ${circuit.failing?.reason}`,
        },
      });
  }
  return planned;
}

const OVERDUE = "no answer within `max_hold`";
