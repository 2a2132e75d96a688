/** Asks the person at the terminal before something that cannot be undone. */
import { createInterface } from "node:readline/promises";

/** Undefined when nobody can be asked: input or output is no terminal. */
export async function confirm(question: string): Promise<boolean | undefined> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question(`${question} [y/N] `)).trim());
  } finally {
    asking.close();
  }
}
