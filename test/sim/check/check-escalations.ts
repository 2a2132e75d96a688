/**
 * Checks escalations as docs/escalate.md describes them: each step of an alert is sent once, only
 * to its sink, not before its time, and not after somebody has acknowledged the alert or while a
 * silence holds it. check-escalations-due.ts checks how late a step may be.
 */
import type { LeftEvent } from "../run/read-state.ts";
import { actsOn } from "./acts.ts";
import { isFollowUp } from "./check-follow-ups.ts";
import { holding } from "./check-silences.ts";
import type { Evidence } from "./evidence.ts";
import type { RuledEpoch } from "./expected.ts";
import { isBroken } from "./lives.ts";
import { isMuted } from "./mutes.ts";
import { type Alert, epochsAt, routedOf } from "./outbox.ts";
import { placesOf } from "./routes.ts";
import type { WrittenStep } from "./rules.ts";

/** Two things that happen this close together may take effect in either order. */
const EDGE_MS = 2_000;
/** A reload finishes the work in progress before another configuration decides. */
const RELOAD_TAKES_MS = 20_000;
const SEALED_WITHIN_MS = 120_000;

/** An event `alert.escalated`. */
export interface Escalated {
  readonly event: LeftEvent;
  readonly atMs: number;
  readonly alertIds: readonly string[];
  readonly from: string;
  readonly to: string;
  /** The position of the step among the steps to that sink, counted from 1. */
  readonly nth: number;
  readonly afterMs: number;
  readonly reason: string;
}

export const escalatedIn = ({ left }: Evidence["played"]): readonly Escalated[] =>
  left.events.flatMap((event) => {
    if (event.type !== "alert.escalated") return [];
    const { alerts, escalation } = event.body as unknown as {
      readonly alerts: readonly { readonly id: string }[];
      readonly escalation: {
        readonly sink: string;
        readonly to: string;
        readonly step: number;
        readonly after_ms: number;
        readonly reason: string;
      };
    };
    return [
      {
        ...{ event, atMs: event.occurredAtMs, alertIds: alerts.map(({ id }) => id) },
        ...{ from: escalation.sink, to: escalation.to, nth: escalation.step },
        ...{ afterMs: escalation.after_ms, reason: escalation.reason },
      },
    ];
  });

export interface NumberedStep extends WrittenStep {
  readonly nth: number;
}

/**
 * Returns the steps for an alert at its sink by each configuration that may have been active
 * between two moments; undefined for one that does not send the alert there.
 */
export const stepsBetween = (
  alert: Alert,
  epochs: readonly RuledEpoch[],
  [fromMs, toMs]: readonly [number, number],
): readonly (readonly NumberedStep[] | undefined)[] =>
  epochs
    .filter((epoch) => epoch.fromMs <= toMs && epoch.toMs >= fromMs - RELOAD_TAKES_MS)
    .map((epoch) => stepsOf(alert, epoch));

function stepsOf(
  { event, row }: Alert,
  { rules }: RuledEpoch,
): readonly NumberedStep[] | undefined {
  const watch = rules.watches.get(event.watch);
  const place =
    watch === undefined
      ? undefined
      : placesOf(rules, watch, routedOf(event)).find(({ sink }) => sink === row.sink);
  return place?.escalate.map((step, n, all) => ({
    ...step,
    nth: all.slice(0, n + 1).filter(({ sink }) => sink === step.sink).length,
  }));
}

export function checkEscalations(evidence: Evidence): readonly string[] {
  const all = escalatedIn(evidence.played);
  return [...checkTwice(all), ...all.flatMap((one) => checkOne(one, evidence))];
}

function checkTwice(all: readonly Escalated[]): readonly string[] {
  const seen = new Set<string>();
  return all.flatMap(({ alertIds, to, nth }) =>
    alertIds.flatMap((id) => {
      const key = `${id} to ${to}, step ${nth}`;
      const isAgain = seen.has(key);
      seen.add(key);
      return isAgain ? [`escalated twice: ${key}`] : [];
    }),
  );
}

const nameOf = ({ alertIds, from, to, nth }: Escalated): string =>
  `the escalation of ${alertIds.join()} from ${from} to ${to}, step ${nth}`;

function checkOne(one: Escalated, evidence: Evidence): readonly string[] {
  const { outbox, isClockSet } = evidence;
  const what = nameOf(one);
  const own = outbox.alerts.filter(({ event }) => event.id === one.event.id);
  const sinks = own.map(({ row }) => row.sink);
  const alerts = outbox.alerts.filter(
    ({ event, row }) => one.alertIds.includes(event.id) && row.sink === one.from,
  );
  return [
    ...(sinks.join() === one.to ? [] : [`${what} goes to ${sinks.join() || "nobody"}`]),
    ...(alerts.length === one.alertIds.length
      ? []
      : [`${what} is about alerts that ${one.from} does not have`]),
    ...alerts.flatMap((alert) => [
      ...checkAlert(alert, one),
      ...(isClockSet ? [] : checkTime(one, alert, evidence)),
    ]),
    ...(isClockSet ? [] : own.flatMap((alert) => checkSent(alert, what, evidence))),
  ];
}

function checkAlert({ event, row }: Alert, one: Escalated): readonly string[] {
  const what = nameOf(one);
  if (event.watchType === "daemon") return [`${what} is about an event of the daemon`];
  if (isFollowUp(event)) return [`${what} is about a follow-up`];
  // An alert that its sink did not take may join another alert later.
  return one.reason === "unacknowledged" && row.state !== "sealed" && row.replayedAtMs === null
    ? [`${what} is about an alert that counts as ${row.state}`]
    : [];
}

function checkTime(one: Escalated, alert: Alert, evidence: Evidence): readonly string[] {
  const { played, epochs } = evidence;
  const { atMs, to, nth, afterMs } = one;
  const what = nameOf(one);
  const steps = stepsBetween(alert, epochs, [atMs - EDGE_MS, atMs]);
  const isWritten = steps.some(
    (some) =>
      some === undefined ||
      some.some((step) => step.sink === to && step.nth === nth && step.afterMs === afterMs),
  );
  const acknowledged = isAcknowledged(alert.event.id, atMs, evidence);
  const held = (["silence", "snooze"] as const).filter((kind) =>
    holding(kind, played, alert).some(
      ({ certainFromMs, certainToMs }) =>
        certainFromMs <= atMs - HEARD_MS && certainToMs >= atMs + EDGE_MS,
    ),
  );
  const isHeard = !isBroken(played, atMs - HEARD_MS, atMs);
  return [
    ...(isWritten ? [] : [`${what} is nowhere in the configuration of that moment`]),
    ...(acknowledged ? [`${what} was sent after it was acknowledged`] : []),
    ...(isHeard ? held.map((kind) => `${what} was sent while a ${kind} held it back`) : []),
    ...checkDropped(one, alert, evidence),
  ];
}

/** Another replica knows of a silence within this time, unless something prevents it. */
const HEARD_MS = 5_000;

/**
 * Returns whether somebody named the alert and got an answer before that time, and nobody may have
 * undone it.
 */
function isAcknowledged(eventId: string, atMs: number, evidence: Evidence): boolean {
  const acts = actsOn("acknowledged", eventId, evidence).filter(({ fromMs }) => fromMs <= atMs);
  const last = acts.findLastIndex(({ isUndo }) => isUndo);
  const undoneMs = acts[last]?.toMs ?? 0;
  return acts
    .slice(last + 1)
    .some(
      ({ what, changed, fromMs, toMs }) =>
        what === eventId && changed !== undefined && fromMs >= undoneMs && toMs < atMs,
    );
}

/**
 * Checks that a step which a reload removed is not sent any more, even if another reload brings it
 * back.
 */
function checkDropped(
  one: Escalated,
  alert: Alert,
  { epochs, played, outbox }: Evidence,
): readonly string[] {
  const message = outbox.messages.get(alert.row.messageId ?? "");
  const sinceMs = (message?.doneAtMs ?? Number.POSITIVE_INFINITY) + RELOAD_TAKES_MS;
  const without = epochs.find((epoch) => {
    const settledMs = epoch.fromMs + RELOAD_TAKES_MS;
    const steps = stepsOf(alert, epoch);
    return (
      epoch.fromMs > sinceMs &&
      settledMs < Math.min(epoch.toMs, one.atMs) &&
      !isBroken(played, epoch.fromMs - RELOAD_TAKES_MS, settledMs) &&
      steps !== undefined &&
      !steps.some(({ sink, nth }) => sink === one.to && nth === one.nth)
    );
  });
  // The step was planned only if the configuration before had it.
  const before = epochs.filter(({ fromMs }) => fromMs < (without?.fromMs ?? 0)).at(-1);
  const had = before === undefined ? [] : (stepsOf(alert, before) ?? []);
  const wasPlanned = had.some(({ sink, nth }) => sink === one.to && nth === one.nth);
  return without === undefined || !wasPlanned || (before?.fromMs ?? 0) > sinceMs
    ? []
    : [`${nameOf(one)} was sent after a reload had removed the step`];
}

/**
 * Checks how a step is sent. It skips groups, digests and throttles. Only the muted hours of its
 * sink hold it back.
 */
function checkSent(
  { row }: Alert,
  what: string,
  { outbox, played, epochs }: Evidence,
): readonly string[] {
  const hoursAt = (atMs: number) =>
    epochsAt(epochs, atMs).flatMap(({ rules }) => rules.sinks.get(row.sink)?.hours ?? []);
  const isMutedAt = (atMs: number, isEvery: boolean) => {
    const muted = hoursAt(atMs).map(({ mutes = [], actives = [] }) =>
      [-3_000, 0, 3_000].map((ms) => isMuted({ mutes, actives, isDropping: false }, atMs + ms)),
    );
    return muted.length > 0 && (isEvery ? muted.flat().every(Boolean) : muted.flat().some(Boolean));
  };
  const attempts = outbox.attempts.get(row.messageId ?? "") ?? [];
  const loud = attempts.filter(({ atMs }) => isMutedAt(atMs, true));
  if (loud.length > 0) return [`${what} was attempted in muted hours of ${row.sink}`];
  const mostMs = row.createdAtMs + SEALED_WITHIN_MS;
  const isTroubled = played.scenario.steps.some((step) => step.do === "sink trouble");
  const isInterrupted =
    isTroubled ||
    isBroken(played, row.createdAtMs - 60_000, mostMs) ||
    isMutedAt(row.createdAtMs, false) ||
    [...epochs.map(({ fromMs }) => fromMs), played.endMs].some(
      (atMs) => atMs >= row.createdAtMs - 60_000 && atMs <= mostMs,
    );
  const [first] = attempts;
  return isInterrupted || row.sink === "console" || (first !== undefined && first.atMs <= mostMs)
    ? []
    : [`${what} waits at ${row.sink} for longer than its turn`];
}
