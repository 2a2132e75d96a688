/** What a list of accounts means to one subscriber: who joined since its baseline. */
import { detectRoster, type RosterRule } from "../detect/roster.ts";
import type { EventBody } from "../model/event.ts";
import type { Hash } from "../model/hash.ts";
import type { ItemVerdict, TargetChange, TargetState } from "../model/store.ts";
import type { User } from "../model/user.ts";
import type { Subscriber } from "./watch-poll.ts";
import { makeEvent } from "./make-event.ts";
import type { RosterObservation } from "./read-roster.ts";
import type { ServiceClock } from "./service-clock.ts";
import type { JudgedEvent, Judgement } from "./verdicts.ts";

export interface RosterJudgeContext {
  readonly hash: Hash;
  readonly serviceClock: ServiceClock;
  readonly detectedAtMs: number;
  readonly rule: RosterRule;
  /** The watched account; asked for only when there is something to tell. */
  readonly profile: User | undefined;
}

export function judgeRoster(
  subscriber: Subscriber,
  target: TargetState,
  known: ReadonlySet<string>,
  seen: RosterObservation,
  context: RosterJudgeContext,
): Judgement {
  const members = new Map(seen.members.map((user) => [user.id, user]));
  const findings = detectRoster(
    seen.members.map((user) => ({ id: user.id, ...joinedAt(user) })),
    known,
    { isBaselined: target.baselineAtMs !== null, registeredAtMs: context.serviceClock.fromLocal(target.registeredAtMs) },
  );
  const judged = findings.flatMap(({ id, verdict }) => {
    const user = members.get(id);
    return user === undefined ? [] : [judgeMember(subscriber, target, user, verdict, context)];
  });
  return {
    verdicts: judged.map(({ verdict }) => verdict),
    // Lists come newest first; people want the oldest first.
    events: judged.flatMap(({ event }) => (event === undefined ? [] : [event])).reverse(),
    targets: targetChange(target, seen, context.detectedAtMs),
  };
}

function joinedAt(user: User): { joinedAtMs?: number } {
  const joinedAtMs = Date.parse(user.followerDate ?? "");
  return Number.isNaN(joinedAtMs) ? {} : { joinedAtMs };
}

function judgeMember(
  subscriber: Subscriber,
  target: TargetState,
  user: User,
  found: "news" | "baseline",
  context: RosterJudgeContext,
): { verdict: ItemVerdict; event?: JudgedEvent } {
  const { watch } = subscriber;
  const occurredAtMs = joinedAt(user).joinedAtMs ?? context.detectedAtMs;
  const row = { watchKey: subscriber.watchKey, targetKey: target.key, itemId: user.id, itemKind: "user" as const, occurredAtMs };
  if (found === "baseline") return { verdict: { ...row, verdict: "baseline", detail: "it was there when the watch began" } };
  const body: EventBody = { user, ...(context.profile === undefined ? {} : { target: context.profile }) };
  const author = user.username.toLowerCase();
  if (watch.ignore.authors.includes(author) || watch.ignore.authors.includes(`id:${user.id}`)) {
    return { verdict: { ...row, verdict: "filtered", detail: `the account @${user.username} is ignored` } };
  }
  if (watch.where !== undefined && !watch.where.matches(body))
    return { verdict: { ...row, verdict: "filtered", detail: `where is false: ${watch.where.text}` } };
  const subject = `${target.userId ?? target.key}/${user.id}`;
  const event = makeEvent(
    context.hash,
    subscriber,
    { type: context.rule.joined, subject, episode: "", body, occurredAtMs },
    context.detectedAtMs,
  );
  return { verdict: { ...row, verdict: "event", detail: "", eventId: event.id }, event: { event, ownSinks: watch.sinks } };
}

/** A baseline needs a full read that began after the target was registered. */
function targetChange(target: TargetState, seen: RosterObservation, atMs: number): readonly TargetChange[] {
  const isBaselined =
    target.baselineAtMs === null && seen.completedScanAtMs !== undefined && seen.completedScanAtMs >= target.registeredAtMs;
  if (!isBaselined && target.status === "ok") return [];
  const change = {
    watchKey: target.watchKey,
    targetKey: target.key,
    expectedRevision: target.revision,
    status: "ok" as const,
    statusReason: "",
  };
  return [{ ...change, ...(isBaselined ? { baselineAtMs: atMs } : {}) }];
}
