/**
 * Evaluates what a list of accounts showed, for one subscriber: who joined since its baseline, and
 * who left.
 */
import {
  detectAboveWatermark,
  detectLeft,
  detectRoster,
  type RosterFinding,
  type RosterRule,
} from "../../detect/roster.ts";
import type { FoundFact } from "../../model/archive.ts";
import type { EventBody } from "../../model/event.ts";
import type { ItemVerdict, Member, MembersChange, PollStore } from "../../model/poll-store.ts";
import type { TargetState } from "../../model/watch-store.ts";
import { userOfMember, type User } from "../../model/user.ts";
import type { Watch } from "../../model/watch.ts";
import { isBaseline, isKnown, isStillUnread } from "../read/list-subscribers.ts";
import type { Subscriber } from "../watch-poll.ts";
import { absenceOf, type Missed, missedBy, missedOnce, withMissed } from "./absence.ts";
import { foundFact, foundMembers } from "./found.ts";
import { type EvaluationContext, makeEvent } from "./make-event.ts";
import type { MemberListObservation } from "../read/read-member-list.ts";
import { memberListChange, type MemoryContext } from "./member-list-memory.ts";
import type { EvaluatedEvent, SubscriberEvaluation } from "./verdicts.ts";
import { reasonAgainstBody } from "./where-reason.ts";

export interface MemberListContext extends EvaluationContext, MemoryContext {
  /** The profile of the watched account. It is requested only if there is something to report. */
  readonly profile: User | undefined;
  /**
   * The stored members that a complete read did not find. Undefined if leaving is not reported, or
   * the read was not complete.
   */
  readonly missed: MissedMembers | undefined;
}

/** Members that a complete read did not find, and when the complete read before that one began. */
export type MissedMembers = Awaited<ReturnType<PollStore["absentMembers"]>> & {
  readonly previousAtMs: number | null;
};

type AbsentMember = MissedMembers["absent"][number];

export function evaluateMemberList(
  subscriber: Subscriber,
  target: TargetState,
  seen: MemberListObservation,
  context: MemberListContext,
): SubscriberEvaluation {
  const members = new Map(seen.members.map((user) => [user.id, user]));
  const { isBaselined } = context.subscription;
  const findings = findingsOf(target, seen, context);
  const missedJoining = missedJoinings(subscriber.watch, target, seen, context);
  const evaluated = findings.flatMap(({ id, verdict }) => {
    const user = members.get(id);
    if (user === undefined) return [];
    const missed = verdict === "news" ? missedJoining(user) : undefined;
    return [evaluateMember(subscriber, target, { user, verdict, missed }, context)];
  });
  const absent = isBaselined ? absentMembers(members, context) : [];
  const left = leftMembers(absent, findings.length, context).map((member) =>
    evaluateLeaver(subscriber, target, member, context),
  );
  const facts = [...evaluated, ...left].flatMap((one) => one.found ?? []);
  const there = findings.flatMap(({ id, verdict }) =>
    verdict === "baseline" && members.has(id) ? [id] : [],
  );
  const baselines = there.length === 0 ? {} : { baselines: [foundMembers(subscriber, there)] };
  return {
    ...(facts.length + there.length === 0 ? {} : { found: { facts, ...baselines } }),
    verdicts: evaluated.map(({ verdict }) => verdict),
    // Lists are newest first, but alerts are sent oldest first.
    events: [
      ...evaluated.flatMap(({ event }) => (event === undefined ? [] : [event])).reverse(),
      ...left.flatMap(({ events }) => events),
    ],
    targets: memberListChange(target, seen, context),
    ...(context.rule.left === undefined
      ? {}
      : {
          members: [
            membersChange(
              target,
              seen,
              left.map(({ member }) => member),
            ),
          ],
          awaited: absent.length - left.length,
        }),
  };
}

function findingsOf(
  target: TargetState,
  seen: MemberListObservation,
  { subscription, rule, serviceClock, known }: MemberListContext,
): readonly RosterFinding[] {
  const { partial } = subscription;
  if (
    partial !== undefined &&
    (seen.step === "head" ||
      (seen.step === "gap" && isStillUnread(subscription, seen.leftAtMs ?? 0)))
  ) {
    const ids = seen.members.map(({ id }) => id);
    return detectAboveWatermark(ids, {
      isKnown: isKnown(known),
      isBaseline: isBaseline(known),
      run: partial.run,
      isOrdered: seen.memory.isOrdered === true,
      isAtEnd: seen.end === "list_end",
    });
  }
  return detectRoster(
    seen.members.map((user) => ({ id: user.id, ...joinedAt(user, rule) })),
    known,
    {
      isBaselined: subscription.isBaselined && partial === undefined,
      registeredAtMs: serviceClock.fromLocal(target.registeredAtMs),
    },
  );
}

function joinedAt(user: User, { ignoresDates }: RosterRule): { joinedAtMs?: number } {
  const joinedAtMs = Date.parse(ignoresDates === true ? "" : (user.followerDate ?? ""));
  return Number.isNaN(joinedAtMs) ? {} : { joinedAtMs };
}

interface FoundMember {
  readonly user: User;
  readonly verdict: "news" | "baseline";
  /** Set if the member joined during an absence of the watch. */
  readonly missed: Missed | undefined;
}

function evaluateMember(
  subscriber: Subscriber,
  target: TargetState,
  { user, verdict: found, missed }: FoundMember,
  context: MemberListContext,
): { verdict: ItemVerdict; event?: EvaluatedEvent; found?: FoundFact } {
  const occurredAtMs = joinedAt(user, context.rule).joinedAtMs ?? context.detectedAtMs;
  const row = {
    watchKey: subscriber.watchKey,
    targetKey: target.key,
    itemId: user.id,
    itemKind: "user" as const,
    occurredAtMs,
  };
  if (found === "baseline")
    return {
      verdict: { ...row, verdict: "baseline", detail: "it was there when the watch began" },
    };
  // If leaving is reported, an account can join repeatedly, so each joining needs an id of its own.
  const episode = context.rule.left === undefined ? "" : context.episode;
  const body = memberBody(user, context);
  const fact = {
    type: context.rule.joined,
    subject: subjectOf(target, user.id),
    episode,
    body,
    occurredAtMs,
  };
  const archived = { found: foundFact(subscriber, fact, found, missed) };
  const reason = reasonAgainstMember(subscriber, user, body);
  if (reason !== undefined)
    return { ...archived, verdict: { ...row, verdict: "filtered", detail: reason } };
  if (missed?.mode === "skip")
    return { ...archived, verdict: { ...row, verdict: "baseline", detail: missed.detail } };
  const event = makeEvent(context, subscriber, fact);
  return {
    ...archived,
    verdict: { ...row, verdict: "event", detail: "", eventId: event.event.id },
    event: missed?.mode === "digest" ? { ...event, isMissed: true } : event,
  };
}

/**
 * Returns a function that says whether a new member joined during an absence of the watch. The
 * list's own dates decide. In a list without dates, all new members count that are found before the
 * whole absence has been read.
 */
function missedJoinings(
  watch: Watch,
  target: TargetState,
  seen: MemberListObservation,
  { rule, serviceClock }: MemberListContext,
): (user: User) => Missed | undefined {
  const missed = missedOnce(watch, target);
  if (missed === undefined) return () => undefined;
  const isHeadReadAgain = absenceOf(target)?.head_read === true && seen.step === "head";
  return (user) => {
    const { joinedAtMs } = joinedAt(user, rule);
    const wasMissed =
      joinedAtMs === undefined
        ? !isHeadReadAgain
        : joinedAtMs <= serviceClock.fromLocal(missed.untilMs);
    return wasMissed ? missed : undefined;
  };
}

/** Returns the body of an event about a member. `chirpwatch test` uses it, too. */
export const memberBody = (
  user: User,
  { profile, rule }: Pick<MemberListContext, "profile" | "rule">,
): EventBody => ({
  user:
    rule.fields === undefined
      ? user
      : (Object.fromEntries(rule.fields.map((name) => [name, user[name]])) as User),
  ...(profile === undefined ? {} : { target: profile }),
  ...rule.about,
});
const subjectOf = (target: TargetState, userId: string): string =>
  `${target.userId ?? target.key}/${userId}`;

export function reasonAgainstMember(
  { watch }: Pick<Subscriber, "watch">,
  user: User,
  body: EventBody,
): string | undefined {
  const { authors } = watch.ignore;
  if (authors.includes(user.username.toLowerCase()) || authors.includes(`id:${user.id}`))
    return `the account @${user.username} is ignored`;
  return reasonAgainstBody(watch, body);
}

/** Returns the stored members without those that this poll found. */
const absentMembers = (
  found: ReadonlyMap<string, User>,
  { rule, missed }: MemberListContext,
): readonly AbsentMember[] =>
  rule.left === undefined ? [] : (missed?.absent ?? []).filter(({ id }) => !found.has(id));

function leftMembers(
  absent: readonly AbsentMember[],
  newcomers: number,
  { missed }: MemberListContext,
): readonly AbsentMember[] {
  if (missed === undefined) return [];
  const foundCount = missed.memberCount - absent.length + newcomers;
  return detectLeft(absent, { foundCount, previousAtMs: missed.previousAtMs });
}

function evaluateLeaver(
  subscriber: Subscriber,
  target: TargetState,
  member: AbsentMember,
  context: MemberListContext,
): {
  readonly member: AbsentMember;
  readonly events: readonly EvaluatedEvent[];
  readonly found?: FoundFact;
} {
  const { rule, detectedAtMs } = context;
  const user = userOfMember(member);
  const body = memberBody(user, context);
  if (rule.left === undefined) return { member, events: [] };
  const fact = {
    type: rule.left,
    subject: subjectOf(target, member.id),
    episode: context.episode,
    body,
    occurredAtMs: detectedAtMs,
  };
  const missed = missedBy(subscriber.watch, target);
  const wasMissed = missed !== undefined && member.seenAtMs < missed.untilMs ? missed : undefined;
  const events =
    reasonAgainstMember(subscriber, user, body) === undefined
      ? withMissed([makeEvent(context, subscriber, fact)], wasMissed)
      : [];
  return { member, events, found: foundFact(subscriber, fact, "news", wasMissed) };
}

const membersChange = (
  target: TargetState,
  seen: MemberListObservation,
  left: readonly Member[],
): MembersChange => ({
  watchKey: target.watchKey,
  targetKey: target.key,
  seenAtMs: seen.readAtMs,
  seen: seen.members.map((user) => ({
    id: user.id,
    username: user.username,
    displayName: user.display_name,
    followersCount: user.followers_count,
    imageUrl: user.profile_image_url,
  })),
  left: left.map(({ id }) => id),
});
