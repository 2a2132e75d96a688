/**
 * Checks the order of delivery. A group goes out in the order in which its alerts were found, not
 * before `group_wait` and at least `group_interval` after its previous message. An alert that waits
 * for no timer goes out at once.
 */
import type { LeftMessage } from "../run/read-state.ts";
import { isTroubled } from "./check-delay.ts";
import { mayBeSnoozed } from "./check-snoozes.ts";
import type { Evidence } from "./evidence.ts";
import type { Attempt } from "../run/sinks.ts";
import {
  type Alert,
  comingOf,
  earlierComings,
  epochsAt,
  groupBy,
  isBehindMute,
  isPart,
  type Outbox,
  routedOf,
} from "./outbox.ts";
import { placesOf } from "./routes.ts";
import type { RouteRules } from "./rules.ts";

export const checkOrder = (evidence: Evidence): readonly string[] => [
  ...checkGroups(evidence),
  ...checkTurns(evidence),
  ...checkComings(evidence),
  ...checkSubjects(evidence),
];

/**
 * Checks that alerts of one watch on one subject keep their order at a sink, whatever their groups.
 * The later one is not attempted before the message of the earlier one was accepted or given up.
 * Messages that an operator sent again are exempt.
 */
function checkSubjects({ outbox, isClockSet }: Evidence): readonly string[] {
  if (isClockSet) return [];
  const shared = sharedAttempts(outbox);
  const own = outbox.alerts.filter(
    ({ row, event }) =>
      event.watchType !== "daemon" && row.replayedAtMs === null && isSent(row.state),
  );
  return [...groupBy(own, subjectOf).values()].flatMap((alerts) =>
    alerts.slice(1).flatMap(({ row }, n) => {
      const before = alerts[n]?.row;
      const [message, earlier] = [
        outbox.messages.get(row.messageId ?? ""),
        outbox.messages.get(before?.messageId ?? ""),
      ];
      const [first] = outbox.attempts.get(message?.id ?? "") ?? [];
      if (before === undefined || message === undefined || first === undefined || shared.has(first))
        return [];
      if (message.id === earlier?.id || (earlier !== undefined && isOneList(message, earlier)))
        return [];
      const overMs = earlier?.doneAtMs ?? Number.POSITIVE_INFINITY;
      return first.atMs >= overMs - EDGE_MS
        ? []
        : [`${row.sink}: alert ${row.id} overtook ${before.id} on the same subject`];
    }),
  );
}

const isSent = (state: string): boolean => /^(?:waiting|sealed|summarised)$/.test(state);

/** Whether two messages are parts of one digest. */
const isOneList = (a: LeftMessage, b: LeftMessage): boolean =>
  a.groupKey === b.groupKey && a.sealedAtMs === b.sealedAtMs;

/**
 * Returns the subject of an alert. A post is the same subject, whichever target it was found for.
 */
const subjectOf = ({ row, event }: Alert): string =>
  JSON.stringify([
    row.sink,
    event.watch,
    event.subject,
    event.body["tweet"] === undefined ? (event.labels["target"] ?? "") : "",
  ]);

/**
 * Checks that of messages given to a channel at one moment, grouped or not, the oldest goes first.
 * Webhooks take several at once.
 */
function checkTurns({ outbox, finalRules }: Evidence): readonly string[] {
  const shared = sharedAttempts(outbox);
  const turns = [...outbox.messages.values()].flatMap((message) => {
    const ids = (outbox.members.get(message.id) ?? []).map(({ row }) => row.id);
    const [first] = outbox.attempts.get(message.id) ?? [];
    const isChat = finalRules.sinks.get(message.sink)?.isChat === true;
    const isPlain =
      isChat &&
      ids.length > 0 &&
      message.parentId === null &&
      !/^(?:digest|summary)\n/.test(message.groupKey);
    return first === undefined || shared.has(first) || !isPlain
      ? []
      : [{ message, oldest: Math.min(...ids), firstMs: first.atMs }];
  });
  return [
    ...groupBy(turns, ({ message }) => `${message.sink} ${message.sealedAtMs}`).values(),
  ].flatMap((own) => {
    const inOrder = own.sort((a, b) => a.oldest - b.oldest);
    return inOrder.slice(1).flatMap(({ message, firstMs }, n) => {
      const before = inOrder[n];
      return before === undefined || before.firstMs <= firstMs
        ? []
        : [
            `${message.sink}: message ${message.id} went before ${before.message.id}, which holds what is older`,
          ];
    });
  });
}

/**
 * Checks that the last message in a chat about an account that comes and goes is true. An alert
 * must not arrive after the alert that undoes it, whichever watches found the two and whatever
 * mutes their routes have. Route groups are exempt because they have timers of their own, and so is
 * a failing sink, which has its retry schedule.
 */
function checkComings({ outbox, played, finalRules, isClockSet }: Evidence): readonly string[] {
  const shared = sharedAttempts(outbox);
  const sent = outbox.alerts.flatMap((alert) => {
    const { row, event, places } = alert;
    const fact = comingOf(alert);
    const sink = finalRules.sinks.get(row.sink);
    // Without the chats' default `dedupe` nothing keeps the order of these alerts.
    if (places.some(({ dedupe }) => dedupe !== undefined)) return [];
    const isGrouped = places.some(({ route }) => route !== undefined && route.groupBy.length > 0);
    const message = outbox.messages.get(row.messageId ?? "");
    const isOfSummary =
      message === undefined ||
      message.parentId !== null ||
      /^(?:digest|summary)\n/.test(message.groupKey);
    if (
      sink?.isChat !== true ||
      isOfSummary ||
      fact === undefined ||
      isTroubled(row.sink, sink, played.scenario.steps)
    )
      return [];
    const [first] = outbox.attempts.get(message.id) ?? [];
    return first === undefined || shared.has(first)
      ? []
      : [{ fact, row, event, isGrouped, sentAtMs: first.atMs }];
  });
  if (isClockSet) return [];
  return [...groupBy(sent, ({ fact }) => fact)].flatMap(([fact, own]) =>
    own.flatMap(({ row, event, isGrouped, sentAtMs }, n) => {
      if (isGrouped) return [];
      const after = own
        .slice(n + 1)
        .find((other) => other.event.type !== event.type && other.sentAtMs < sentAtMs);
      return after === undefined
        ? []
        : [
            `${fact}: ${event.type} (alert ${row.id}) arrived after ${after.event.type} (alert ${after.row.id}), which was found later`,
          ];
    }),
  );
}

/**
 * Returns attempts that may belong to several messages. If a receiver gets no key, messages with
 * the same text cannot be distinguished.
 */
function sharedAttempts({ attempts }: Outbox): ReadonlySet<Attempt> {
  const [seen, shared] = [new Set<Attempt>(), new Set<Attempt>()];
  for (const attempt of [...attempts.values()].flat())
    (seen.has(attempt) ? shared : seen).add(attempt);
  return shared;
}

const checkGroups = (evidence: Evidence): readonly string[] =>
  evidence.epochs.some(
    ({ rules }) => JSON.stringify(rules.root) !== JSON.stringify(evidence.finalRules.root),
  )
    ? []
    : [...groupBy(evidence.outbox.alerts, (alert) => groupOf(alert, evidence))].flatMap(
        ([group, alerts]) => (group === "" ? [] : checkGroup(group, alerts, evidence)),
      );

/**
 * Returns the group of an alert by its route. It is "" for an ungrouped alert, for one found while
 * the configuration changed, and for one that waited until another route applied. A waiting alert
 * follows the active configuration.
 */
function groupOf(alert: Alert, { outbox, epochs }: Evidence): string {
  const { row, event, places } = alert;
  if (isBehindMute(alert, outbox)) return "";
  // Alerts from the time in which a watch was away form a group with its own timer, whatever the
  // route groups by.
  if (row.groupKey.startsWith("digest\nreturn\n")) return JSON.stringify([row.sink, row.groupKey]);
  const routes = new Set(places.map(({ route }) => route?.path));
  const [route] = places.map((place) => place.route);
  if (places.some(({ digest }) => digest !== undefined)) return "";
  if (routes.size !== 1 || route === undefined || route.groupBy.length === 0) return "";
  const sealedAtMs = outbox.messages.get(row.messageId ?? "")?.sealedAtMs ?? row.createdAtMs;
  const isMoved = epochsAt(epochs, sealedAtMs).some(({ rules }) => {
    const watch = rules.watches.get(event.watch);
    return (
      watch !== undefined &&
      !placesOf(rules, watch, routedOf(event)).some(
        (one) => one.sink === row.sink && one.route?.path === route.path,
      )
    );
  });
  if (isMoved) return "";
  return JSON.stringify([
    row.sink,
    route.path,
    ...route.groupBy.map((label) => event.labels[label] ?? ""),
  ]);
}

interface Sealed {
  readonly message: LeftMessage;
  readonly alerts: readonly Alert[];
  /**
   * When the first alert was created for which the timer ran: of the message, including those of
   * other places, or left in its group.
   */
  readonly begunAtMs: number;
  readonly firstAtMs: number | undefined;
  readonly acceptedAtMs: number | undefined;
}

function checkGroup(
  group: string,
  alerts: readonly Alert[],
  evidence: Evidence,
): readonly string[] {
  const { outbox, isClockSet } = evidence;
  const shared = sharedAttempts(outbox);
  const byMessage = groupBy(
    alerts.filter(({ row }) => row.state === "sealed"),
    ({ row }) => row.messageId ?? "",
  );
  const sealed = [...byMessage].flatMap(([id, own]): readonly Sealed[] => {
    const message = outbox.messages.get(id);
    const attempts = outbox.attempts.get(id) ?? [];
    if (message === undefined) return [];
    // A shared attempt may belong to another message. This message's own first attempt is not later
    // than the last one.
    const [first] = attempts.some((attempt) => shared.has(attempt)) ? attempts.slice(-1) : attempts;
    return [
      {
        message,
        alerts: own,
        begunAtMs: Math.min(
          ...[...(outbox.members.get(id) ?? own), ...leftWaiting(message, alerts, outbox)].map(
            ({ row }) => row.createdAtMs,
          ),
        ),
        firstAtMs: first?.atMs,
        acceptedAtMs: attempts.find(({ accepted }) => accepted)?.atMs,
      },
    ];
  });
  const inOrder = [...sealed].sort((a, b) => oldestOf(a) - oldestOf(b));
  const isChat = evidence.finalRules.sinks.get(alerts[0]?.row.sink ?? "")?.isChat === true;
  const objections: string[] = [];
  for (const [n, one] of inOrder.entries()) {
    const before = inOrder[n - 1];
    if (before === undefined || before.message.state === "dead" || newestOf(before) > oldestOf(one))
      continue;
    // The first message of a digest lists the most seen alerts, whatever their age. Webhooks accept
    // it while messages of other groups are in progress.
    if (
      before.message.parentId === one.message.id ||
      (!isChat && isDigest(before) !== isDigest(one))
    )
      continue;
    // A digest lists its alerts by age, and those of one second in another order than they were
    // found.
    if (
      isDigest(one) &&
      isOneList(before.message, one.message) &&
      Math.max(...secondsOf(before)) >= Math.min(...secondsOf(one))
    )
      continue;
    // A snooze may have held some alerts of the message back.
    if (before.alerts.some((alert) => mayBeSnoozed(alert, evidence))) continue;
    const [earlierMs, laterMs] = [before.acceptedAtMs, one.firstAtMs];
    // The message was sent again without its formatting, to a receiver that gets no key.
    if (before.message.state === "sent" && earlierMs === undefined) continue;
    if (laterMs !== undefined && (earlierMs === undefined || earlierMs > laterMs))
      objections.push(
        `${group}: message ${one.message.id} overtook ${before.message.id}, which holds what was found before`,
      );
  }
  const route = alerts[0]?.places[0]?.route;
  return isClockSet || route === undefined
    ? objections
    : [
        ...objections,
        ...inOrder.flatMap((one, n) => checkTimer(group, inOrder[n - 1], one, route)),
      ];
}

/**
 * Returns the alerts that a message left in its group, because they must not overtake alerts of
 * other groups. The group's timer ran for them too.
 */
const leftWaiting = (
  { sealedAtMs }: LeftMessage,
  alerts: readonly Alert[],
  outbox: Outbox,
): readonly Alert[] =>
  alerts.filter((alert) => {
    const { row } = alert;
    const later = outbox.messages.get(row.messageId ?? "");
    return (
      row.createdAtMs <= sealedAtMs &&
      later !== undefined &&
      later.sealedAtMs > sealedAtMs &&
      earlierComings(alert, outbox).length > 0
    );
  });

const idsOf = ({ alerts }: Sealed): readonly number[] => alerts.map(({ row }) => row.id);
const oldestOf = (one: Sealed): number => Math.min(...idsOf(one));
const newestOf = (one: Sealed): number => Math.max(...idsOf(one));
const secondsOf = ({ alerts }: Sealed): readonly number[] =>
  alerts.map(({ event }) => Math.floor(event.occurredAtMs / 1_000));

/**
 * Whether a throttle gathered the alerts. The throttle then sets the time, while the group's own
 * timer runs on.
 */
const wasGathered = ({ alerts }: Sealed): boolean =>
  alerts.some(({ row }) => row.originalGroupKey !== null);

/** Whether a message is a digest, which has a time of its own. */
const isDigest = ({ message }: Sealed): boolean => /^(?:digest|summary)\n/.test(message.groupKey);
const EDGE_MS = 5;

function checkTimer(
  group: string,
  before: Sealed | undefined,
  one: Sealed,
  route: RouteRules,
): readonly string[] {
  if (
    isDigest(one) ||
    wasGathered(one) ||
    (one.message.firstAttemptAtMs === null && one.message.state === "dead")
  )
    return [];
  const { begunAtMs } = one;
  const { sealedAtMs } = one.message;
  if (
    sealedAtMs < begunAtMs + route.groupWaitMs - EDGE_MS &&
    before?.message.sealedAtMs !== sealedAtMs &&
    !isPartOf(before, one)
  )
    return [
      `${group}: message ${one.message.id} went ${sealedAtMs - begunAtMs} ms after its first alert, before group_wait`,
    ];
  if (
    before !== undefined &&
    !isDigest(before) &&
    !wasGathered(before) &&
    !isPartOf(before, one) &&
    sealedAtMs > before.message.sealedAtMs &&
    sealedAtMs < before.message.sealedAtMs + route.groupIntervalMs - EDGE_MS
  )
    return [
      `${group}: message ${one.message.id} went ${sealedAtMs - before.message.sealedAtMs} ms after the one before, within group_interval`,
    ];
  return [];
}

/** Whether a message continues the list of the message before it. */
const isPartOf = (before: Sealed | undefined, { message }: Sealed): boolean =>
  before !== undefined &&
  (isPart(message) ? message.parentId === (before.message.parentId ?? before.message.id) : false);
