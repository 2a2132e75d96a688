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
  replayed_none: "No sink lacks this alert, so nothing is sent.",
  reloaded: "The configuration was read again and is active.",
  unchanged: "The configuration was read again; nothing has changed.",
} as const satisfies Readonly<Record<string, string>>;

export type Done = keyof typeof DONE;

export const doneText = (key: string | undefined): string | undefined =>
  key === undefined ? undefined : ownValue<string>(DONE, key);
