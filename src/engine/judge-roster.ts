/** What a list of accounts means to one subscriber: who joined since its baseline, and who left. */
import { detectLeft, detectRoster, type RosterRule } from "../detect/roster.ts";
import type { EventBody } from "../model/event.ts";
import type { Hash } from "../model/hash.ts";
import type { ItemVerdict, Member, MembersChange, TargetChange } from "../model/poll-store.ts";
import type { TargetState } from "../model/watch-store.ts";
import { userOfMember, type User } from "../model/user.ts";
import type { Subscriber } from "./watch-poll.ts";
import { makeEvent } from "./make-event.ts";
import type { RosterObservation } from "./read-roster.ts";
import type { ServiceClock } from "./service-clock.ts";
import { changeOf, WELL } from "./target-change.ts";
import type { JudgedEvent, Judgement } from "./verdicts.ts";

export interface RosterJudgeContext {
  readonly hash: Hash;
  readonly serviceClock: ServiceClock;
  readonly detectedAtMs: number;
  readonly rule: RosterRule;
  /** The watched account; asked for only when there is something to tell. */
  readonly profile: User | undefined;
  /** A fresh random id: who left can join again. */
  readonly episode: string;
  /** Where leaving is told and a read was completed: what it did not find, as the state has it. */
  readonly missed: MissedMembers | undefined;
  /** Which list was read: the endpoint. */
  readonly list: string;
}

export interface MissedMembers {
  readonly absent: readonly (Member & { readonly seenAtMs: number })[];
  readonly memberCount: number;
  /** Start of the complete read before. */
  readonly previousAtMs: number | null;
}

/** A baseline is one of the list it was taken of: a watch that reads another list now must not tell everyone on it. */
export const isRosterBaselined = ({ baselineAtMs, memory }: TargetState, list: string): boolean =>
  baselineAtMs !== null && (memory["baseline_of"] === undefined || memory["baseline_of"] === list);

export function judgeRoster(
  subscriber: Subscriber,
  target: TargetState,
  known: ReadonlySet<string>,
  seen: RosterObservation,
  context: RosterJudgeContext,
): Judgement {
  const members = new Map(seen.members.map((user) => [user.id, user]));
  const isBaselined = isRosterBaselined(target, context.list);
  const findings = detectRoster(
    seen.members.map((user) => ({ id: user.id, ...joinedAt(user, context.rule) })),
    known,
    { isBaselined, registeredAtMs: context.serviceClock.fromLocal(target.registeredAtMs) },
  );
  const judged = findings.flatMap(({ id, verdict }) => {
    const user = members.get(id);
    return user === undefined ? [] : [judgeMember(subscriber, target, user, verdict, context)];
  });
  const absent = isBaselined ? absentMembers(members, context) : [];
  const left = leftMembers(absent, findings.length, context);
  return {
    verdicts: judged.map(({ verdict }) => verdict),
    // Lists come newest first; people want the oldest first.
    events: [
      ...judged.flatMap(({ event }) => (event === undefined ? [] : [event])).reverse(),
      ...left.flatMap((member) => judgeLeaver(subscriber, target, member, context)),
    ],
    targets: targetChange(target, seen, context),
    ...(context.rule.left === undefined ? {} : { members: [membersChange(target, seen, left)], awaited: absent.length - left.length }),
  };
}

function joinedAt(user: User, { ignoresDates }: RosterRule): { joinedAtMs?: number } {
  const joinedAtMs = Date.parse(ignoresDates === true ? "" : (user.followerDate ?? ""));
  return Number.isNaN(joinedAtMs) ? {} : { joinedAtMs };
}

function judgeMember(
  subscriber: Subscriber,
  target: TargetState,
  user: User,
  found: "news" | "baseline",
  context: RosterJudgeContext,
): { verdict: ItemVerdict; event?: JudgedEvent } {
  const occurredAtMs = joinedAt(user, context.rule).joinedAtMs ?? context.detectedAtMs;
  const row = { watchKey: subscriber.watchKey, targetKey: target.key, itemId: user.id, itemKind: "user" as const, occurredAtMs };
  if (found === "baseline") return { verdict: { ...row, verdict: "baseline", detail: "it was there when the watch began" } };
  const body = rosterBody(user, context);
  const reason = reasonAgainst(subscriber, user, body);
  if (reason !== undefined) return { verdict: { ...row, verdict: "filtered", detail: reason } };
  // Where leaving is told, joining can recur.
  const episode = context.rule.left === undefined ? "" : context.episode;
  const fact = { type: context.rule.joined, subject: subjectOf(target, user.id), episode, body, occurredAtMs };
  const event = makeEvent(context.hash, subscriber, fact, context.detectedAtMs);
  return { verdict: { ...row, verdict: "event", detail: "", eventId: event.event.id }, event };
}

/** Also for samples, which judge nobody. */
export const rosterBody = (user: User, { profile, rule }: Pick<RosterJudgeContext, "profile" | "rule">): EventBody => ({
  user: rule.fields === undefined ? user : (Object.fromEntries(rule.fields.map((name) => [name, user[name]])) as User),
  ...(profile === undefined ? {} : { target: profile }),
  ...rule.about,
});
const subjectOf = (target: TargetState, userId: string): string => `${target.userId ?? target.key}/${userId}`;

function reasonAgainst({ watch }: Subscriber, user: User, body: EventBody): string | undefined {
  const { authors } = watch.ignore;
  if (authors.includes(user.username.toLowerCase()) || authors.includes(`id:${user.id}`)) return `the account @${user.username} is ignored`;
  return watch.where === undefined || watch.where.matches(body) ? undefined : `where is false: ${watch.where.text}`;
}

/** Members the state still has, without those this very poll found. */
const absentMembers = (found: ReadonlyMap<string, User>, { rule, missed }: RosterJudgeContext): MissedMembers["absent"] =>
  rule.left === undefined ? [] : (missed?.absent ?? []).filter(({ id }) => !found.has(id));

function leftMembers(absent: MissedMembers["absent"], newcomers: number, { missed }: RosterJudgeContext): readonly Member[] {
  if (missed === undefined) return [];
  const foundCount = missed.memberCount - absent.length + newcomers;
  return detectLeft(absent, { foundCount, previousAtMs: missed.previousAtMs });
}

function judgeLeaver(subscriber: Subscriber, target: TargetState, member: Member, context: RosterJudgeContext): readonly JudgedEvent[] {
  const { rule, detectedAtMs } = context;
  const user = userOfMember(member);
  const body = rosterBody(user, context);
  if (rule.left === undefined || reasonAgainst(subscriber, user, body) !== undefined) return [];
  const fact = {
    type: rule.left,
    subject: subjectOf(target, member.id),
    episode: context.episode,
    body,
    occurredAtMs: detectedAtMs,
  };
  return [makeEvent(context.hash, subscriber, fact, detectedAtMs)];
}

const membersChange = (target: TargetState, seen: RosterObservation, left: readonly Member[]): MembersChange => ({
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

/** A baseline needs a full read that began after the target was registered. What a full read costs is kept for the plan. */
function targetChange(target: TargetState, seen: RosterObservation, { list, detectedAtMs }: RosterJudgeContext): readonly TargetChange[] {
  const { completedScanAtMs, completedPages } = seen;
  const isBaselined = isRosterBaselined(target, list);
  const isDone = !isBaselined && completedScanAtMs !== undefined && completedScanAtMs >= target.registeredAtMs;
  const pages = completedPages !== undefined && (completedPages > 1 || "pages" in target.memory) ? { pages: completedPages } : {};
  const memory = { ...target.memory, ...pages, ...(isDone || isBaselined ? { baseline_of: list } : {}) };
  const isChanged = JSON.stringify(memory) !== JSON.stringify(target.memory);
  if (!isDone && !isChanged && target.status === "ok") return [];
  return [{ ...changeOf(target), ...WELL, ...(isChanged ? { memory } : {}), ...(isDone ? { baselineAtMs: detectedAtMs } : {}) }];
}
