/**
 * The silences that the operator of a simulation adds: when each may be active, and when it must
 * be.
 */
import type { Clock } from "../../../src/model/clock.ts";
import type { Step } from "../draw/scenario.ts";
import type { SimDaemon } from "./daemon.ts";

/**
 * A silence or a snooze. Times are the world's. A process that is cut while it adds or ends one may
 * have done so, or not.
 */
export interface SilenceSpan {
  readonly kind: "silence" | "snooze";
  /** The sinks where it holds. Empty: all sinks. */
  readonly sinks: readonly string[];
  readonly matchers: readonly string[];
  /** The times between which it may be active. */
  readonly fromMs: number;
  toMs: number;
  /** The times between which it must be active. */
  certainFromMs: number;
  certainToMs: number;
  /** Undefined until the answer arrives. */
  id: string | undefined;
}

export type SilenceStep = Step & { readonly do: "silence" | "end silence" };

export interface Silencing {
  readonly spans: SilenceSpan[];
  /** Resolves when the daemon has answered. */
  act(step: SilenceStep): Promise<void>;
}

export function createSilencing(
  daemon: Pick<SimDaemon, "ask">,
  worldClock: Pick<Clock, "now">,
): Silencing {
  const spans: SilenceSpan[] = [];
  const byName = new Map<string, SilenceSpan>();

  const add = async ({ name, matchers, forMs }: SilenceStep & { readonly do: "silence" }) => {
    const fromMs = worldClock.now();
    const span: SilenceSpan = {
      ...{ kind: "silence", sinks: [] },
      ...{ matchers, fromMs, toMs: Number.POSITIVE_INFINITY, certainToMs: fromMs + forMs },
      certainFromMs: Number.POSITIVE_INFINITY,
      id: undefined,
    };
    spans.push(span);
    byName.set(name, span);
    const body = { matchers, duration: `${forMs}ms`, comment: "simulated" };
    const answer = await daemon.ask("POST", "/api/v1/silences", body);
    span.toMs = worldClock.now() + forMs;
    // It may have been stored before the connection was cut.
    if ((answer?.status ?? 0) >= 500) return;
    // The watch or the label that it names may no longer exist.
    if (answer?.status !== 200) return void spans.splice(spans.indexOf(span), 1);
    span.certainFromMs = worldClock.now();
    span.id = (JSON.parse(answer.text) as { readonly id: string }).id;
  };
  const end = async ({ name }: SilenceStep) => {
    const span = byName.get(name);
    if (span?.id === undefined) return;
    span.certainToMs = Math.min(span.certainToMs, worldClock.now());
    const answer = await daemon.ask("DELETE", `/api/v1/silences/${span.id}`);
    if ((answer?.status ?? 0) < 500) span.toMs = Math.min(span.toMs, worldClock.now());
  };
  return { spans, act: (step) => (step.do === "silence" ? add(step) : end(step)) };
}
