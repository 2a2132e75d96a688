/**
 * What a form on a page did, as a sentence. The address to which a form leads back holds the key
 * only, so that a link cannot make the page say something else.
 */
import { ownValue } from "../../model/own-value.ts";

const DONE = {
  paused: "The watch is paused.",
  paused_already: "The watch was paused already.",
  resumed: "The watch is polled again.",
  resumed_already: "The watch was not paused.",
  sink_resumed: "The sink is tried now.",
  sample_sent: "The sink took the test message.",
  dead_resent: "The dead letters are sent again.",
  dead_none: "There were no dead letters any more.",
  dead_accepted: "The dead letters no longer count.",
  replayed: "The alert is sent again.",
  replayed_none: "Nothing is sent: no sink lacks this alert, or it is on its way.",
  acknowledged: "The alert is acknowledged.",
  acknowledged_already: "The alert was acknowledged already.",
  unacknowledged: "The acknowledgement is undone.",
  unacknowledged_already: "The alert was not acknowledged.",
  not_relevant: "The alert is marked as not relevant.",
  not_relevant_already: "The alert was marked as not relevant already.",
  relevant: "The mark as not relevant is removed.",
  relevant_already: "The alert was not marked as not relevant.",
  snoozed: "What the alert is about is snoozed.",
  snoozed_already: "It was snoozed that long already.",
  author_muted: "The author of the alert is muted.",
  author_muted_already: "The author was muted that long already.",
  silence_added: "The silence holds alerts back from now on.",
  silence_already: "The same silence was added a moment ago, so nothing was added.",
  silence_ended: "The silence has ended: alerts go out again.",
  silence_ended_already: "The silence had ended before.",
  reloaded: "The configuration was read again and is active.",
  unchanged: "The configuration was read again; nothing has changed.",
} as const satisfies Readonly<Record<string, string>>;

export type Done = keyof typeof DONE;

export const doneText = (key: string | undefined): string | undefined =>
  key === undefined ? undefined : ownValue<string>(DONE, key);
