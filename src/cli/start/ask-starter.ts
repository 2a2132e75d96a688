/**
 * Asks the questions of `init` at a terminal, one at a time. If an answer cannot be used, the
 * reason is shown and the question is asked again.
 */
import type { Prompt } from "../terminal/prompt.ts";
import { SINK_KINDS, type StarterAnswers } from "./init-files.ts";

export type SinkKind = (typeof SINK_KINDS)[number];

export interface StarterChoice {
  readonly kind: SinkKind;
  readonly answers: StarterAnswers;
}

export interface Dialog {
  readonly prompt: Pick<Prompt, "ask">;
  /** Says to the person why an answer cannot be used. */
  say(text: string): void;
  /**
   * Returns what is wrong with the configuration that would be written from these answers.
   * Undefined if it is valid.
   */
  check(choice: StarterChoice): Promise<string | undefined>;
}

export async function askStarter({ prompt, say, check }: Dialog): Promise<StarterChoice> {
  const askUntil = async <T>(
    question: string,
    read: (answer: string) => Promise<T | { readonly wrong: string }>,
  ): Promise<T> => {
    for (;;) {
      const value = await read(await prompt.ask(question));
      if (typeof value !== "object" || value === null || !("wrong" in value)) return value;
      say(`  ${value.wrong}`);
    }
  };
  const checked = async <T>(value: T, choice: StarterChoice) => {
    const wrong = await check(choice);
    return wrong === undefined ? value : { wrong };
  };

  const kind = await askUntil<SinkKind>(
    `Where do alerts go: ${SINK_KINDS.join(", ")}? [slack] `,
    async (answer) => {
      const named = SINK_KINDS.find((one) => one === (answer.toLowerCase() || "slack"));
      return named ?? { wrong: `Write one of ${SINK_KINDS.join(", ")}.` };
    },
  );
  const search = await askUntil<string>(
    "What do you search for, such as: acme OR @acme? Empty for no search: ",
    async (answer) =>
      answer === "" ? answer : checked(answer, { kind, answers: { search: answer, accounts: [] } }),
  );
  const accounts = await askUntil<readonly string[]>(
    "Whose posts do you want, such as: alice, bob? Empty for nobody's: ",
    async (answer) => {
      const handles = answer.split(/[\s,]+/).filter(Boolean);
      const wrong = handles.map(wrongHandle).find((one) => one !== undefined);
      if (wrong !== undefined) return { wrong };
      if (handles.length === 0 && search === "")
        return {
          wrong:
            "Without a search, name at least one account: otherwise there is nothing to watch.",
        };
      return handles.map(bareHandle);
    },
  );
  const answers = { accounts, ...(search === "" ? {} : { search }) };
  if (kind !== "slack") return { kind, answers };
  const channel = await askUntil<string>("Which Slack channel? [#brand] ", async (answer) => {
    const named = answer || "#brand";
    const wrong = wrongChannel(named);
    return wrong === undefined ? named : { wrong };
  });
  return { kind, answers: { ...answers, channel } };
}

/** Returns what is wrong with the name of a Slack channel. Undefined if nothing is. */
export const wrongChannel = (text: string): string | undefined =>
  /^(#[^\s#,]{1,80}|[CG][A-Z0-9]{6,})$/.test(text)
    ? undefined
    : `"${text}" is not a channel: write its name with #, such as '#brand', or its id, such as C0123456789.`;

/** Returns what is wrong with a handle. Undefined if nothing is. */
export const wrongHandle = (text: string): string | undefined =>
  /^@?\w{1,15}$/.test(text)
    ? undefined
    : `"${text}" is not a handle: write up to 15 letters, digits and _.`;

export const bareHandle = (text: string): string => text.replace(/^@/, "");
