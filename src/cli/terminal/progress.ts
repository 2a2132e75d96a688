/**
 * Shows one changing line on standard error while long work runs; shows nothing if that is not a
 * terminal.
 */

export interface Progress {
  show(text: string): void;
  /** Removes the line. */
  clear(): void;
}

const CLEAR_LINE = "\r\u001b[2K";

export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  let isShown = false;
  return {
    show(text) {
      if (!stream.isTTY) return;
      isShown = true;
      stream.write(`${CLEAR_LINE}${text}`);
    },
    clear() {
      if (isShown) stream.write(CLEAR_LINE);
      isShown = false;
    },
  };
}
