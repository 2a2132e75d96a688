/**
 * Adds, lists and ends silences as an operator asks, sends alerts that a silence held back, snoozes
 * what an alert is about, and silences its author. Chats, the page, commands and the API call the
 * same code, in a daemon and in a command without one.
 */
import type { Config, SinkConfig } from "../../config/config.ts";
import { isoTime, type Clock } from "../../model/clock.ts";
import { parseDuration } from "../../model/duration.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { History } from "../../model/history.ts";
import type { MarkStore, SentAlert } from "../../model/marks.ts";
import type {
  SilencedCount,
  SilenceStore,
  StoredSilence,
  HoldOutcome,
  HoldRequest,
  NewSilence,
} from "../../model/silence.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import { isSilenced, type Silence } from "../../route/silence.ts";
import { createZone } from "../../route/zone.ts";
import type { HoldAction } from "../../server/contract/actions.ts";
import { unknownAlert } from "../../server/contract/delivery-words.ts";
import type {
  AddSilenceOutcome,
  ResendSilenced,
  SilenceRequest,
  SilencesView,
  SilenceView,
  HeldView,
  HoldProblem,
} from "../../server/schema/silence-view.ts";
import { createReader } from "../create-reader.ts";
import { readSilenceRequest } from "./silence-request.ts";
import { compileSilence } from "./silences.ts";

const DAY_MS = 86_400_000;

export async function createSilence(
  store: SilenceStore & Pick<History, "labelsSince">,
  request: SilenceRequest,
  { config, nowMs }: { readonly config: Pick<Config, "watches" | "sinks">; readonly nowMs: number },
): Promise<AddSilenceOutcome> {
  const read = await readSilenceRequest(request, config, nowMs);
  if (!("matchers" in read)) return { ok: false, errors: read };
  const stored = await store.addSilence(read);
  const silence = await compileSilence(stored);
  const matching = silence === undefined ? 0 : await countMatching(store, silence, nowMs);
  return { ok: true, silence: { ...silenceView(stored, [], nowMs), matching_24h: matching } };
}

/** Counts the events of the last 24 hours that the silence matches. */
async function countMatching(
  store: Pick<History, "labelsSince">,
  silence: Silence,
  nowMs: number,
): Promise<number> {
  let count = 0;
  let before: string | undefined;
  do {
    const page = await store.labelsSince(nowMs - DAY_MS, before);
    count += page.events.filter((event) => isSilenced(silence, event)).length;
    before = page.next ?? undefined;
  } while (before !== undefined);
  return count;
}

export async function readSilences(
  store: SilenceStore,
  nowMs: number,
  withExpired: boolean,
): Promise<SilencesView> {
  const [silences, counts] = [await store.listSilences(), await store.countSilenced()];
  const views = silences.map((silence) => silenceView(silence, counts, nowMs));
  return { silences: views.filter(({ state }) => withExpired || state === "active") };
}

/** Ends a silence; resolves to undefined if there is none with that id. */
export async function endSilence(
  store: SilenceStore,
  id: string,
  nowMs: number,
  by?: string,
): Promise<SilenceView | undefined> {
  const silence = await store.expireSilence(id, nowMs, by);
  return silence && silenceView(silence, await store.countSilenced(), nowMs);
}

/**
 * Sends silenced alerts to configured sinks and returns how many there are. Alerts for other sinks
 * stay silenced.
 */
export function sendSilenced(
  store: SilenceStore,
  config: Pick<Config, "sinks">,
  { sink, silenceId, by }: ResendSilenced,
  nowMs: number,
): Promise<number> {
  const sinks = config.sinks
    .map(({ name }) => name)
    .filter((name) => sink === undefined || name === sink);
  return store.resendSilenced({ sinks, silenceId }, nowMs, by);
}

const silenceView = (
  silence: StoredSilence,
  counts: readonly SilencedCount[],
  nowMs: number,
): SilenceView => ({
  id: silence.id,
  kind: silence.kind,
  sinks: silence.sinks,
  state: silence.endsAtMs > nowMs ? "active" : "expired",
  matchers: silence.matchers,
  starts_at: isoTime(silence.startsAtMs),
  ends_at: isoTime(silence.endsAtMs),
  author: silence.author,
  comment: silence.comment,
  silenced: counts
    .filter(({ silenceId }) => silenceId === silence.id)
    .map(({ sink, alerts }) => ({ sink, alerts })),
});

export interface HoldDeps {
  readonly store: Pick<MarkStore, "alertsOf"> & Pick<SilenceStore, "holdBack">;
  readonly clock: Pick<Clock, "now">;
  readonly config: Pick<Config, "sinks" | "linksHost">;
}

export type HoldResult =
  | { readonly ok: true; readonly view: HeldView }
  | { readonly ok: false; readonly problem: HoldProblem };

/** How long an author is silenced unless a length is given. */
const MUTE_LENGTH = "7d";

const MIN_MS = 60_000;
const MAX_MS = 365 * 86_400_000;
/** A snooze until tomorrow ends at this minute of the day: 9:00. */
const MORNING_MINUTE = 9 * 60;
const MAX_COMMENT = 200;

/**
 * Snoozes the conversation of each alert, or the account that it is about if it has none, at the
 * given sink or at each sink that has the alert.
 */
export const snoozeAlert = (deps: HoldDeps, request: HoldAction): Promise<HoldResult> =>
  hold(deps, request, {
    action: "snooze",
    kind: "snooze",
    matcherOf: (event) => matcherOf("conversation", conversationOf(event)) ?? authorMatcher(event),
    missing:
      "the alert is about no conversation and no account, so it cannot be snoozed: use chirpwatch silence add",
    commentOf: (title) => `snoozed on: ${title}`,
  });

/** Silences the author of each alert at the given sink, or at each sink that has the alert. */
export const muteAuthor = (deps: HoldDeps, request: HoldAction): Promise<HoldResult> =>
  hold(deps, request, {
    action: "mute author",
    kind: "silence",
    matcherOf: authorMatcher,
    missing: "the alert has no author, so there is nobody to mute: use chirpwatch silence add",
    commentOf: (_, event) => `muted author @${accountOf(event)?.username ?? ""}`,
  });

interface HoldKind extends Pick<HoldRequest, "action"> {
  readonly kind: "snooze" | "silence";
  matcherOf(event: ChirpEvent): string | undefined;
  /** The sentence for an alert that has no such matcher. */
  readonly missing: string;
  commentOf(title: string, event: ChirpEvent): string;
}

async function hold(
  deps: HoldDeps,
  { what: written, by: caller, from, sink, length, click }: HoldAction,
  kind: HoldKind,
): Promise<HoldResult> {
  const { store, clock, config } = deps;
  const [what, by, atMs] = [written.trim(), cleanLine(caller), clock.now()];
  const lasting = (length ?? (kind.kind === "silence" ? MUTE_LENGTH : "")).trim();
  const badLength = lengthProblem(lasting, kind.kind === "snooze");
  if (badLength !== undefined) return refused("HOLD_INVALID", badLength);
  const alerts = await store.alertsOf(what);
  if (alerts.length === 0) return refused("ALERT_UNKNOWN", unknownAlert(what));
  const sinks = [...new Set(alerts.flatMap((alert) => alert.sinks))];
  if (sinks.length === 0 || (sink !== undefined && !sinks.includes(sink)))
    return refused("HOLD_INVALID", notAtSink(sinks, sink));
  const silences = alerts.flatMap((alert) =>
    silencesOf(
      alert,
      { kind, only: sink, by, config, endOf: (at) => endMs(lasting, at, atMs) },
      atMs,
    ),
  );
  const distinct = [
    ...new Map(silences.map((one) => [JSON.stringify([one.sinks, one.matchers]), one])).values(),
  ];
  if (distinct.length === 0) return refused("HOLD_INVALID", kind.missing);
  const { action } = kind;
  const outcomes = await store.holdBack({
    ...{ action, what, by, from, atMs, click },
    silences: distinct,
  });
  return { ok: true, view: heldView(alerts.length, outcomes) };
}

const refused = (code: HoldProblem["code"], message: string): HoldResult => ({
  ok: false,
  problem: { code, message },
});

const notAtSink = (sinks: readonly string[], sink: string | undefined): string =>
  sink === undefined || sinks.length === 0
    ? "the alert went to no sink, so there is nothing to hold back"
    : `the alert did not go to the sink "${sink.slice(0, 80)}", only to ${sinks.join(", ")}`;

function lengthProblem(length: string, canBeTomorrow: boolean): string | undefined {
  const choice = canBeTomorrow ? "30m, 4h, 1w or tomorrow" : "4h, 7d or 2w";
  if (length === "") return `the length is missing: write how long, like ${choice}`;
  if (canBeTomorrow && length === "tomorrow") return undefined;
  const ms = parseDuration(length);
  if (ms === undefined)
    return `the length must be a time like ${choice}, not "${length.slice(0, 80)}"`;
  if (ms < MIN_MS) return `${length} is too short to hold anything back: write at least 1m`;
  return ms > MAX_MS ? `the length may be 365d at most, not ${length.slice(0, 80)}` : undefined;
}

interface Lasting {
  readonly kind: HoldKind;
  readonly only: string | undefined;
  readonly by: string;
  readonly config: HoldDeps["config"];
  endOf(sink: SinkConfig | undefined): number;
}

function silencesOf(
  { event, sinks }: SentAlert,
  { kind, only, by, config, endOf }: Lasting,
  nowMs: number,
): readonly NewSilence[] {
  const matcher = kind.matcherOf(event);
  if (matcher === undefined) return [];
  const { title } = createReader(config.linksHost)({ event, watches: [event.watch] });
  return sinks
    .filter((sink) => only === undefined || sink === only)
    .map((sink) => ({
      ...{ kind: kind.kind, sinks: [sink], eventId: event.id, matchers: [matcher], author: by },
      startsAtMs: nowMs,
      endsAtMs: endOf(config.sinks.find(({ name }) => name === sink)),
      comment: cleanLine(kind.commentOf(title, event)).slice(0, MAX_COMMENT),
    }));
}

/** Returns when a length ends that begins now; `tomorrow` is a time of day in the sink's zone. */
function endMs(length: string, sink: SinkConfig | undefined, nowMs: number): number {
  if (length !== "tomorrow") return nowMs + (parseDuration(length) ?? 0);
  const zone = createZone(sink?.region?.timezone ?? "UTC");
  return zone.firstAt(zone.localDay(nowMs) + 1, MORNING_MINUTE);
}

const accountOf = ({ body }: ChirpEvent) => body.tweet?.user ?? body.user;

const conversationOf = ({ labels, body }: ChirpEvent): string =>
  labels["conversation"] ?? body.tweet?.conversation_id_str ?? "";

const authorMatcher = (event: ChirpEvent): string | undefined =>
  matcherOf("author_id", accountOf(event)?.id ?? "");

const matcherOf = (label: string, value: string): string | undefined =>
  value === "" ? undefined : `${label}="${value}"`;

const heldView = (alerts: number, outcomes: readonly HoldOutcome[]): HeldView => ({
  alerts,
  changed: outcomes.filter(({ change }) => change !== "unchanged").length,
  held: outcomes.map(({ silence, change }) => ({
    ...{ id: silence.id, sink: silence.sinks[0] ?? "", matchers: silence.matchers, change },
    ...{ until: isoTime(silence.endsAtMs), by: silence.author },
  })),
});
