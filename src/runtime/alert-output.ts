/**
 * Standard output as alerts are written to it: what nobody reads was not sent, and a stream that is
 * the log's too keeps the log's format.
 */
import { fstatSync } from "node:fs";

/** The part of process.stdout and process.stderr that is used. */
export interface OutputStream {
  readonly fd: number;
  readonly isTTY?: boolean;
  readonly writableLength: number;
  write(text: string, done: () => void): boolean;
}

export interface AlertOutput {
  /** The log goes to the same place, as lines of JSON. */
  readonly isLog: boolean;
  /**
   * Resolves once the system has the text. Rejects when nobody reads: at once where something is
   * unread already.
   */
  write(text: string): Promise<void>;
}

/** How long a reader may take. */
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
