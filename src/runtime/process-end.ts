/** The end of a command that was asked for by a signal. */
import { onSignals } from "./signals.ts";

/** How long output that nobody reads is waited for. */
const MAX_UNREAD_MS = 1_000;

export interface ProcessEnd {
  readonly onSignals: typeof onSignals;
  /**
   * The command is over. Where a signal asked for that, or does later, the process ends although
   * its output is not read.
   */
  leave(): void;
}

/**
 * Node waits for the reader of a full pipe as long as there is one. Without a signal that is right:
 * a pager may take its time.
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
