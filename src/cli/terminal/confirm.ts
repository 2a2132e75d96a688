/** Asks the person at the terminal before something expensive or irreversible is done. */
import { createInterface } from "node:readline/promises";

/**
 * Returns whether the person answered yes; undefined if input or output is not a terminal, so that
 * no person can be asked.
 */
export async function confirm(question: string): Promise<boolean | undefined> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question(`${question} [y/N] `)).trim());
  } finally {
    asking.close();
  }
}
