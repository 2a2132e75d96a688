/**
 * Checks that the operator gets one ops alert about each trouble and one about its end, at the
 * sinks of `ops` except the one that is in trouble.
 */
import type { LeftEvent } from "../run/read-state.ts";
import type { Played } from "../run/simulate.ts";
import type { Attempt } from "../run/sinks.ts";
import type { Evidence } from "./evidence.ts";
import { aways, cuts, isBroken } from "./lives.ts";
import { createNames } from "./expected.ts";
import { epochsAt, groupBy, isMessage, isOfState, isPost, saysItStopped } from "./outbox.ts";

const MIN_MS = 60_000;
const AGAIN_AFTER_MS = 15 * MIN_MS;
/** The types of events about a trouble and about its end. */
const PAIRS = [
  ["sink.failing", "sink.recovered"],
  ["upstream.dark", "upstream.recovered"],
  ["key.refused", "key.recovered"],
] as const;

export function checkOps(evidence: Evidence): readonly string[] {
  if (evidence.isClockSet) return [];
  const opsAlerts = evidence.played.left.events.filter(({ watchType }) => watchType === "daemon");
  return [
    ...PAIRS.flatMap((pair) =>
      [
        ...groupBy(
          opsAlerts.filter(({ type }) => pair.includes(type as never)),
          ({ subject }) => subject,
        ),
      ].flatMap(([subject, own]) => checkPair(pair, `${pair[0]} of ${subject}`, own, evidence)),
    ),
    ...opsAlerts.flatMap((opsAlert) => checkPlaces(opsAlert, evidence)),
    ...checkOutage(opsAlerts, evidence),
    ...checkFailing(opsAlerts, evidence),
    ...checkDead(opsAlerts, evidence),
    ...checkSilence(opsAlerts, evidence),
    ...checkStateTrouble(evidence),
  ];
}

/** A replica notices within this time that the state fails, and the failure must last this long. */
const STATE_NOTICED_MS = 2 * MIN_MS;

/**
 * Checks that the operator gets one ops alert when the state cannot be written, and one when it can
 * again.
 */
function checkStateTrouble({ played }: Evidence): readonly string[] {
  const spans = [
    ...aways(played),
    ...played.lives.flatMap(({ stalls, cutOffsMs }) => [
      ...stalls,
      ...cutOffsMs.map((atMs) => ({ fromMs: atMs, toMs: atMs })),
    ]),
  ];
  const said = played.attempts.filter(
    (attempt) => isOfState(attempt) && isPost(attempt) && attempt.accepted,
  );
  const wrong = said.flatMap((attempt) =>
    spans.some(
      ({ fromMs, toMs }) => attempt.atMs >= fromMs && attempt.atMs <= toMs + STATE_NOTICED_MS,
    )
      ? []
      : [`${attempt.sink} heard of a state that nothing kept from being written`],
  );
  const lives = groupBy(said, ({ life, sink }) => `${life} ${sink}`);
  for (const own of lives.values())
    if (own.some((attempt, n) => n > 0 && [attempt, own[n - 1] as Attempt].every(saysItStopped)))
      wrong.push(`${own[0]?.sink} heard twice that the state cannot be written`);
  return wrong;
}

function checkPair(
  [bad, good]: (typeof PAIRS)[number],
  what: string,
  own: readonly LeftEvent[],
  { played, finalRules }: Evidence,
): readonly string[] {
  const objections = own.flatMap((opsAlert, n) => {
    const before = own[n - 1];
    if (opsAlert.type === good && before?.type !== bad)
      return [`${what}: its end is reported, and it was not`];
    // A process that was cut after an ops alert, before it stored that, raises the alert again.
    const isCut = cuts(played).some(
      ({ fromMs, toMs }) =>
        toMs >= (before?.detectedAtMs ?? 0) - 1_000 && fromMs <= opsAlert.detectedAtMs,
    );
    if (opsAlert.type === bad && before?.type === bad && !isCut)
      return [`${what} is reported twice`];
    const last = own.slice(0, n).findLast(({ type }) => type === bad);
    if (
      bad === "sink.failing" &&
      opsAlert.type === bad &&
      last !== undefined &&
      !isCut &&
      opsAlert.detectedAtMs - last.detectedAtMs < AGAIN_AFTER_MS - 1_000
    )
      return [
        `${what} is reported again after ${Math.round((opsAlert.detectedAtMs - last.detectedAtMs) / 1_000)} s`,
      ];
    return [];
  });
  const isOver =
    played.scenario.mode === "liveness" && own.at(-1)?.type === bad && bad === "upstream.dark";
  const hasWatch = [...finalRules.watches.values()].some(({ isEnabled }) => isEnabled);
  return isOver && hasWatch && !isStillEmpty(own, played)
    ? [...objections, `${what} has no end, although it is over`]
    : objections;
}

/**
 * Returns whether the lists stayed empty. Empty lists can be a fault of the service or the true
 * state of the world, so nobody can know that the trouble is over.
 */
function isStillEmpty(own: readonly LeftEvent[], { asked, scenario }: Played): boolean {
  const opsAlert = own.at(-1);
  if (opsAlert === undefined || !JSON.stringify(opsAlert.body).includes("empty lists"))
    return false;
  const sinceMs = Math.max(opsAlert.detectedAtMs, scenario.startMs + scenario.busyMs);
  const last = new Map<string, boolean>();
  for (const { atMs, endpoint, input, isLaterPage, isEmptyList } of asked)
    if (
      isEmptyList !== undefined &&
      !isLaterPage &&
      endpoint !== "tweet-info-bulk" &&
      atMs > sinceMs
    )
      last.set(`${endpoint} ${input}`, isEmptyList);
  const empty = [...last.values()].filter((isEmpty) => isEmpty).length;
  return empty >= 2 && empty * 2 >= last.size;
}

function checkPlaces(opsAlert: LeftEvent, { epochs, outbox }: Evidence): readonly string[] {
  if (!/^(?:sink\.failing|upstream\.|key\.)/.test(opsAlert.type)) return [];
  const sinks = outbox.alerts
    .filter(({ row }) => row.eventId === opsAlert.id)
    .map(({ row }) => row.sink)
    .sort();
  const expected = epochsAt(epochs, opsAlert.detectedAtMs).map(({ rules }) =>
    rules.ops
      .filter(
        (sink) =>
          rules.sinks.has(sink) && (opsAlert.type !== "sink.failing" || sink !== opsAlert.subject),
      )
      .sort(),
  );
  return expected.some((one) => one.join() === sinks.join())
    ? []
    : [
        `${opsAlert.type} of ${opsAlert.subject} goes to ${sinks.join() || "nobody"} instead of ${expected.join(" or ")}`,
      ];
}

/**
 * Checks that the operator gets an ops alert whenever the daemon stops asking the service, whatever
 * the reason.
 */
function checkSilence(
  opsAlerts: readonly LeftEvent[],
  { played, epochs, finalRules }: Evidence,
): readonly string[] {
  const { lives, endMs, asked, scenario } = played;
  const nameOf = createNames(epochs);
  const watches = [...finalRules.watches.values()].filter(({ id, isEnabled }) => {
    const isPaused = scenario.steps.some(
      (step) => step.do === "pause" && nameOf(step.watch) === nameOf(id),
    );
    return isEnabled && !isPaused;
  });
  const lastMs = asked.filter(({ isBilled }) => isBilled).at(-1)?.atMs ?? scenario.startMs;
  const mostMs = 30 * MIN_MS + 2 * Math.max(0, ...watches.map(({ gapMs }) => gapMs));
  const isUp = (lives.at(-1)?.fromMs ?? endMs) < endMs - mostMs;
  const isReported = opsAlerts.some(({ type }) =>
    /^(?:quota|upstream|key|watch|target)\./.test(type),
  );
  return watches.length === 0 || !isUp || isReported || endMs - lastMs < mostMs
    ? []
    : ["nobody asks the service any more, and nobody was notified"];
}

/** Faults during which no request is answered. */
const OUTAGE_FAULTS = ["server_error", "html_502", "dns_failure", "tls_error"];

function checkOutage(
  opsAlerts: readonly LeftEvent[],
  { played, finalRules }: Evidence,
): readonly string[] {
  const { startMs, steps } = played.scenario;
  const isPolled = [...finalRules.watches.values()].some(
    ({ gapMs, isEnabled }) => isEnabled && gapMs <= 2 * MIN_MS,
  );
  return steps.flatMap((step): readonly string[] => {
    if (
      step.do !== "service fault" ||
      !OUTAGE_FAULTS.includes(step.name) ||
      (step.forMs ?? 0) < 10 * MIN_MS ||
      !isPolled
    )
      return [];
    const endMs = step.atMs + (step.forMs ?? 0);
    const isMixed = steps.some(
      (other) =>
        other !== step &&
        /^(?:crash|restart|reload|pause|service)/.test(other.do) &&
        other.atMs > step.atMs - 30 * MIN_MS &&
        other.atMs < endMs,
    );
    // Nobody polls while the quota is spent, so nobody notices the outage.
    const polls = played.asked.filter(
      ({ endpoint, atMs }) =>
        endpoint !== "key-usage-info" && atMs > startMs + step.atMs && atMs < startMs + endMs,
    );
    const isReported = opsAlerts.some(
      ({ type, detectedAtMs }) =>
        type === "upstream.dark" &&
        detectedAtMs > startMs + step.atMs &&
        detectedAtMs < startMs + endMs + MIN_MS,
    );
    return isMixed || isReported || polls.length === 0
      ? []
      : [
          `the service was down for ${(step.forMs ?? 0) / MIN_MS} min from ${Math.round(step.atMs / MIN_MS)}, and nobody was notified`,
        ];
  });
}

/** Answers with which a receiver says that nobody can post there. */
const NOBODY = ["unauthorised", "forbidden", "missing"];

function checkFailing(
  opsAlerts: readonly LeftEvent[],
  { played, epochs }: Evidence,
): readonly string[] {
  const reported = opsAlerts.filter(({ type }) => type === "sink.failing");
  return played.attempts.flatMap((attempt) => {
    const { sink, trouble, answeredAtMs = Number.POSITIVE_INFINITY } = attempt;
    if (!NOBODY.includes(trouble ?? "") || attempt.accepted || !isMessage(attempt)) return [];
    const [fromMs, toMs] = [attempt.atMs - AGAIN_AFTER_MS, answeredAtMs + MIN_MS];
    const isCut =
      isBroken(played, fromMs, toMs) ||
      epochs.some((epoch) => epoch.fromMs > fromMs && epoch.fromMs < toMs);
    const isReported = reported.some(
      ({ subject, detectedAtMs }) =>
        subject === sink &&
        detectedAtMs > answeredAtMs - 120 * MIN_MS &&
        detectedAtMs < answeredAtMs + MIN_MS,
    );
    // Of several attempts in progress one may be refused, and the next one accepted at once.
    const isOver = played.attempts.some(
      (other) =>
        other.sink === sink &&
        other.accepted &&
        other.atMs > attempt.atMs - 5_000 &&
        other.atMs < answeredAtMs + 1_000,
    );
    return isCut || isReported || isOver || answeredAtMs > played.endMs - MIN_MS
      ? []
      : [`${sink} answered ${attempt.status} (${trouble}), and nobody was notified`];
  });
}

function checkDead(
  opsAlerts: readonly LeftEvent[],
  { played, outbox, finalRules }: Evidence,
): readonly string[] {
  if (played.scenario.mode !== "liveness") return [];
  const reported = new Set(
    opsAlerts.flatMap(({ type, subject, body }) =>
      type === "delivery.dead" ? [subject, JSON.stringify(body)] : [],
    ),
  );
  const sinks = new Set(
    [...outbox.messages.values()].flatMap(({ id, state, sink }) => {
      // If ops has only one sink and that one refuses, ops alerts cannot arrive.
      const isOfWatch =
        outbox.members.get(id)?.some(({ event }) => event.watchType !== "daemon") ?? false;
      return state === "dead" && isOfWatch && finalRules.sinks.has(sink) ? [sink] : [];
    }),
  );
  const isSent = (sink: string) =>
    outbox.alerts.some(
      ({ event, row }) =>
        event.type === "delivery.dead" &&
        event.subject === sink &&
        outbox.messages.get(row.messageId ?? "")?.state === "sent",
    );
  const hasOps = [...finalRules.ops].some((name) => finalRules.sinks.has(name));
  return [...sinks].flatMap((sink) => {
    if (![...reported].some((text) => text.includes(sink)))
      return [`messages of ${sink} were given up, and nobody was notified`];
    return hasOps && !isSent(sink)
      ? [`messages of ${sink} were given up, and the report of it reached nobody`]
      : [];
  });
}
