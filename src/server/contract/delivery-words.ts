/**
 * What became of alerts, and why they wait, as page and commands say it. Times are written by
 * whoever asks.
 */
import type { DeliveryOutcome } from "../../model/history.ts";
import type { DeliveryView, EventLine, SinkView, WaitView } from "./views.ts";

type TimeText = (iso: string) => string;

const OUTCOMES: Readonly<Record<DeliveryOutcome, string>> = {
  waiting: "waiting",
  held: "held",
  sealed: "on its way",
  sent: "delivered",
  summarised: "counted in a digest, not listed",
  dead: "dead",
  muted: "muted",
  silenced: "silenced",
  deleted: "not sent, as its post was gone",
  duplicate: "duplicate, not sent",
  published: "published",
  not_published: "not published",
  not_enriched: "went out without it",
};

const IS_TRIED_AGAIN: ReadonlySet<WaitView["cause"]> = new Set([
  "sink_failing",
  "retrying",
  "enriching",
]);

/** `held by nights until 07:00`, `the sink fails: 503; next attempt 12:04`. */
export function waitText({ cause, reason, until }: WaitView, time: TimeText): string {
  if (until === null) return reason;
  return IS_TRIED_AGAIN.has(cause)
    ? `${reason}; next attempt ${time(until)}`
    : `${reason} until ${time(until)}`;
}

/** `2 alerts on values are sent again while they stay across, next 07:00`. */
export const repeatsText = (
  { count, next_at: next }: NonNullable<SinkView["repeats"]>,
  time: TimeText,
): string =>
  `${count === 1 ? "1 alert on a value is sent again while it stays" : `${count} alerts on values are sent again while they stay`} across, next ${time(next)}`;

/** `delivered`, `held by nights until 07:00`, `dead`. */
const outcomeText = (
  { state, wait }: Pick<DeliveryView, "state" | "wait">,
  time: TimeText,
): string => (wait === null || wait.cause === "queued" ? OUTCOMES[state] : waitText(wait, time));

/** Of all sinks: `brand: delivered; ops: dead`. */
export const outcomesText = (
  { type, deliveries }: Pick<EventLine, "type" | "deliveries">,
  time: TimeText,
): string =>
  deliveries.length === 0
    ? noSinkText(type)
    : deliveries.map((one) => `${one.sink}: ${outcomeText(one, time)}`).join("; ");

/** Only this ops alert is kept from a sink: from the one it is about, which could not take it. */
const noSinkText = (type: string): string =>
  type === "sink.failing" ? "not sent: no other sink takes ops alerts" : "no route took it";
