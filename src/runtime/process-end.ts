/** Ends the process when its command is done and a signal has asked for that. */
import { onSignals } from "./signals.ts";

/** How long the process then waits for a reader of its output. */
const MAX_UNREAD_MS = 1_000;

export interface ProcessEnd {
  readonly onSignals: typeof onSignals;
  /**
   * Reports that the command is done. If a signal has asked the process to end, or does so later,
   * the process ends even if its output is not read.
   */
  leave(): void;
}

/**
 * Creates the process end. Without a signal, the process waits for the reader of a full pipe
 * without limit, as Node always does, because a pager may take its time.
 */
export function createProcessEnd(): ProcessEnd {
  let [isAsked, isOver] = [false, false];
  const endIfDue = () => {
    if (isAsked && isOver) setTimeout(() => process.exit(), MAX_UNREAD_MS).unref();
  };
  return {
    onSignals: (names, fn) =>
      onSignals(names, (name) => {
        isAsked ||= name !== "SIGHUP";
        fn(name);
        endIfDue();
      }),
    leave() {
      isOver = true;
      endIfDue();
    },
  };
}
