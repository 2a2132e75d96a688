/** Asks the person at the terminal one question after the other. */
import { createInterface } from "node:readline/promises";
import { EXIT, ExitError } from "../../model/exit-code.ts";

export interface Prompt {
  /**
   * Returns the answer without surrounding spaces. @throws ExitError if the input ends before the
   * answer
   */
  ask(question: string): Promise<string>;
  close(): void;
}

/** Returns a prompt. Undefined if input or output is not a terminal. */
export function openPrompt(): Prompt | undefined {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new AbortController();
  asking.once("close", () => ended.abort());
  return {
    async ask(question) {
      try {
        return (await asking.question(question, { signal: ended.signal })).trim();
      } catch (cause) {
        throw new ExitError(
          EXIT.failed,
          "PROMPT_ENDED",
          "the questions were not answered: nothing was written",
          { cause },
        );
      }
    },
    close: () => asking.close(),
  };
}
