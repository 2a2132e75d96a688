/**
 * Writes alerts to standard output. If nothing reads the output, an alert counts as not sent. If
 * the log goes to the same output, alerts must have the log's format.
 */
import { fstatSync } from "node:fs";

/** The part of process.stdout or process.stderr that is used. */
export interface OutputStream {
  readonly fd: number;
  readonly isTTY?: boolean;
  readonly writableLength: number;
  write(text: string, done: () => void): boolean;
}

export interface AlertOutput {
  /** Whether the log goes to the same place, as lines of JSON. */
  readonly isLog: boolean;
  /**
   * Writes a text and a newline. Resolves when the operating system has the text. Rejects if the
   * reader does not read it in time, and immediately if earlier text is still unread.
   */
  write(text: string): Promise<void>;
}

/** How long a reader may take to read a text. */
const MAX_READ_MS = 2_000;

export const createAlertOutput = (out: OutputStream, log: OutputStream): AlertOutput => ({
  isLog: out.isTTY !== true && isSameFile(out.fd, log.fd),
  write: (text) =>
    new Promise((resolve, reject) => {
      const refuse = () => reject(new Error("nobody reads standard output"));
      if (out.writableLength > 0) return refuse();
      const timer = setTimeout(refuse, MAX_READ_MS);
      out.write(`${text}\n`, () => {
        clearTimeout(timer);
        resolve();
      });
    }),
});

function isSameFile(one: number, other: number): boolean {
  try {
    const [a, b] = [one, other].map((fd) => fstatSync(fd, { bigint: true }));
    return a !== undefined && a.dev === b?.dev && a.ino === b.ino;
  } catch {
    return false;
  }
}
