/**
 * Logs failed attempts. The first failure of a sink and kind is logged when it happens, later ones
 * in one line a minute with their number. Owns its timers.
 */
import type { Cancel, Clock } from "../../model/clock.ts";
import type { Log, LogFields } from "../../model/log.ts";

const WRITE = {
  retried: (log: Log, fields: LogFields) =>
    log.warn("deliveries failed and will be retried", fields),
  /** The other side only asked for a pause, so this is no warning. */
  limited: (log: Log, fields: LogFields) => log.info("a sink asked to wait", fields),
  dead: (log: Log, fields: LogFields) => log.error("messages were given up", fields),
} as const;

export type AttemptKind = keyof typeof WRITE;

export interface AttemptFields {
  readonly messageId: string;
  readonly error: string;
}

export interface AttemptLog {
  failed(sink: string, kind: AttemptKind, fields: AttemptFields): void;
  /** Logs the failures that were counted and not logged yet. */
  end(): void;
}

const WINDOW_MS = 60_000;
const IDS_SHOWN = 10;

/** The failures of one sink and kind since the last log line about them. */
interface Window {
  readonly sink: string;
  readonly kind: AttemptKind;
  attempts: number;
  readonly messageIds: Set<string>;
  error: string;
  cancel: Cancel;
}

export function createAttemptLog(deps: { readonly log: Log; readonly clock: Clock }): AttemptLog {
  const windows = new Map<string, Window>();

  const write = (window: Window) => {
    const { sink, kind, attempts, messageIds, error } = window;
    const ids = [...messageIds];
    WRITE[kind](deps.log, {
      sink,
      attempts,
      messages: ids.length,
      messageIds: ids.slice(0, IDS_SHOWN),
      error,
    });
    window.attempts = 0;
    messageIds.clear();
  };
  const count = (window: Window, { messageId, error }: AttemptFields) => {
    window.attempts += 1;
    window.messageIds.add(messageId);
    window.error = error;
  };
  /**
   * Ends the window if there was no failure for a minute. The next failure is then logged when it
   * happens.
   */
  const turnOver = (key: string, window: Window) => {
    if (window.attempts === 0) return void windows.delete(key);
    write(window);
    window.cancel = deps.clock.after(WINDOW_MS, () => turnOver(key, window));
  };
  return {
    failed(sink, kind, fields) {
      const key = `${kind}\n${sink}`;
      const known = windows.get(key);
      if (known !== undefined) return count(known, fields);
      const cancel = deps.clock.after(WINDOW_MS, () => turnOver(key, window));
      const window: Window = { sink, kind, attempts: 0, messageIds: new Set(), error: "", cancel };
      windows.set(key, window);
      count(window, fields);
      write(window);
    },
    end() {
      for (const window of windows.values()) {
        window.cancel();
        if (window.attempts > 0) write(window);
      }
      windows.clear();
    },
  };
}
