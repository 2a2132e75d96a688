/**
 * Decides what becomes of an alert that nobody has acknowledged: which step of `escalate` is next,
 * when it is due, and what ends the escalation. Pure. The state and the timer are elsewhere.
 */
import { readDigestGroup } from "../model/digest.ts";
import type { DueEscalation, EscalationEnd, PlannedStep, TakenStep } from "../model/escalation.ts";
import type { ChirpEvent } from "../model/event.ts";
import { isAfterAlert } from "./follow-up.ts";
import type { EscalationStep, Route, Shaping } from "./route.ts";
import { isOpsAlert } from "./select-routes.ts";

/** The number of a step among the steps to the same sink identifies it in a changed configuration. */
export type NumberedStep = PlannedStep & Pick<EscalationStep, "when">;

const numberSteps = (steps: readonly EscalationStep[]): readonly NumberedStep[] =>
  steps.map((step, index) => ({
    ...step,
    nth: steps.slice(0, index + 1).filter(({ sink }) => sink === step.sink).length,
  }));

const isSame = (one: PlannedStep, other: PlannedStep): boolean =>
  one.sink === other.sink && one.nth === other.nth;

/** Whether alerts of this kind can be escalated. */
const isEscalatable = ({ event, routed }: Pick<DueEscalation, "event" | "routed">): boolean =>
  !isOpsAlert(event) && !isAfterAlert(event) && routed?.isBackfilled !== true;

/** The sinks whose alerts may be escalated: those with steps, and those of routes with steps. */
export function escalatingSinks(
  tree: Route | undefined,
  sinks: ReadonlyMap<string, Pick<Shaping, "escalate">>,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [name, { escalate }] of sinks) if (hasSteps(escalate)) found.add(name);
  const visit = (route: Route, inherited: readonly string[]) => {
    const named = route.sinks.length > 0 ? route.sinks : inherited;
    if (hasSteps(route.escalate)) for (const sink of named) found.add(sink);
    for (const child of route.routes) visit(child, named);
  };
  if (tree !== undefined) visit(tree, []);
  return found;
}

const hasSteps = (escalate: Shaping["escalate"]): boolean =>
  escalate !== undefined && escalate !== false && escalate.length > 0;

/** The shortest `after` in the configuration; undefined if there is no escalation. */
export function shortestAfterMs(
  tree: Route | undefined,
  sinks: ReadonlyMap<string, Pick<Shaping, "escalate">>,
): number | undefined {
  const timesOf = ({ escalate }: Pick<Shaping, "escalate">) =>
    escalate === undefined || escalate === false ? [] : escalate.map(({ afterMs }) => afterMs);
  const visit = (route: Route): readonly number[] => [
    ...timesOf(route),
    ...route.routes.flatMap(visit),
  ];
  const all = [...[...sinks.values()].flatMap(timesOf), ...(tree === undefined ? [] : visit(tree))];
  return all.length === 0 ? undefined : Math.min(...all);
}

/** What the escalation's row says next. */
export interface EscalationProgress {
  readonly baseAtMs: number;
  readonly isAtOnce: boolean;
  /** Undefined if an alert was acknowledged before its steps were planned. */
  readonly plan: readonly PlannedStep[] | undefined;
  readonly taken: readonly TakenStep[];
  readonly ended: EscalationEnd;
  readonly dueAtMs: number | null;
}

export type Decision =
  /** The alert is not escalated, and nothing of it is shown. */
  | { readonly kind: "forget" }
  | { readonly kind: "wait"; readonly progress: EscalationProgress }
  /** `step` is sent now. `progress` is what holds once that is committed. */
  | { readonly kind: "send"; readonly step: PlannedStep; readonly progress: EscalationProgress };

export interface DecisionContext {
  /** The steps of the active configuration for this alert at its sink. */
  readonly steps: readonly EscalationStep[];
  readonly isSilenced: boolean;
  readonly nowMs: number;
  /** What is sent in this commit about the same alert. */
  readonly sentNow: readonly TakenStep[];
}

export function decideEscalation(due: DueEscalation, context: DecisionContext): Decision {
  const { nowMs } = context;
  const ended = isEscalatable(due) ? endOf(due) : "unsent";
  // An undo plans anew, by the configuration of that moment.
  if (ended === "acknowledged")
    return {
      kind: "wait",
      progress: { ...progressOf(due), plan: due.plan, taken: due.taken, ended, dueAtMs: null },
    };
  const steps = numberSteps(context.steps);
  const dropped = (due.plan ?? [])
    .filter((planned) => !steps.some((step) => isSame(step, planned)))
    .map((planned): TakenStep => ({ ...planned, kind: "dropped", atMs: nowMs }));
  const taken = [...due.taken, ...dropped];
  const left = steps.filter((step) => !taken.some((one) => isSame(one, step)));
  if (taken.length === 0 && (ended === "unsent" || left.length === 0)) return { kind: "forget" };
  if (ended !== "") return wait(due, { plan: [], taken, ended, dueAtMs: null });
  const putOffMs = putOffUntil(due, nowMs);
  if (putOffMs !== undefined && left.length > 0)
    return wait({ ...due, baseAtMs: putOffMs }, { plan: left, taken, ended, dueAtMs: putOffMs });
  return nextStep(due, { left, taken, context });
}

function endOf(due: DueEscalation): EscalationEnd {
  if (due.isReplayed) return "replayed";
  if (!due.isOnItsWay || due.isFollowUp || readDigestGroup(due.groupKey) !== undefined)
    return "unsent";
  return due.isAcknowledged ? "acknowledged" : "";
}

/** Returns until when the alert itself waits, so that its sink has not failed yet. */
function putOffUntil({ waitsUntilMs, message }: DueEscalation, nowMs: number): number | undefined {
  const untilMs = waitsUntilMs ?? message?.heldUntilMs ?? 0;
  return untilMs > nowMs ? untilMs : undefined;
}

function nextStep(
  due: DueEscalation,
  {
    left,
    taken,
    context: { nowMs, sentNow, isSilenced },
  }: {
    readonly left: readonly NumberedStep[];
    readonly taken: readonly TakenStep[];
    readonly context: DecisionContext;
  },
): Decision {
  const [step, ...rest] = left;
  if (step === undefined) return wait(due, { plan: [], taken, ended: "done", dueAtMs: null });
  const dueAtMs = due.isAtOnce ? due.baseAtMs : due.baseAtMs + step.afterMs;
  if (dueAtMs > nowMs) return wait(due, { plan: left, taken, ended: "", dueAtMs });
  // A silence counts at the time of the step: it may end before, or begin after the alert.
  if (isSilenced) return wait(due, { plan: [], taken, ended: "silenced", dueAtMs: null });
  const { sink, nth, afterMs, when } = step;
  const planned: PlannedStep = { sink, nth, afterMs };
  const before = [...due.sentElsewhere, ...sentNow].find((one) => isSame(one, step));
  const isPassed = when !== undefined && !when(due.event);
  const over = { ...due, baseAtMs: nowMs, isAtOnce: false };
  if (before !== undefined || isPassed) {
    const one: TakenStep =
      before === undefined
        ? { ...planned, kind: "passed", atMs: nowMs }
        : { ...before, ...planned };
    return nextStep(over, {
      left: rest,
      taken: [...taken, one],
      context: { steps: [], isSilenced, nowMs, sentNow },
    });
  }
  const [next] = rest;
  return {
    kind: "send",
    step: planned,
    progress: {
      ...progressOf(over),
      taken,
      plan: rest.map(plannedOf),
      ended: next === undefined ? "done" : "",
      dueAtMs: next === undefined ? null : nowMs + next.afterMs,
    },
  };
}

const plannedOf = ({ sink, nth, afterMs }: PlannedStep): PlannedStep => ({ sink, nth, afterMs });

const progressOf = ({ baseAtMs, isAtOnce }: DueEscalation) => ({ baseAtMs, isAtOnce });

const wait = (
  due: DueEscalation,
  {
    plan,
    ...rest
  }: Omit<EscalationProgress, "baseAtMs" | "isAtOnce" | "plan"> & {
    readonly plan: readonly PlannedStep[];
  },
): Decision => ({
  kind: "wait",
  progress: { ...progressOf(due), ...rest, plan: plan.map(plannedOf) },
});

/** What an escalation says about its alerts. */
export type EscalationReason = "unacknowledged" | "failing" | "dead";

export const reasonOf = ({ message }: Pick<DueEscalation, "message">): EscalationReason => {
  if (message?.state === "sent") return "unacknowledged";
  return message?.state === "dead" ? "dead" : "failing";
};

/** Returns the labels that all alerts of an escalation have in common. */
export function commonLabels(events: readonly Pick<ChirpEvent, "labels">[]): ChirpEvent["labels"] {
  const [first, ...others] = events;
  const entries = Object.entries(first?.labels ?? {});
  return Object.fromEntries(
    entries.filter(([name, value]) => others.every(({ labels }) => labels[name] === value)),
  );
}
