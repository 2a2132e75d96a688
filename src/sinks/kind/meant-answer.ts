/**
 * What a sink type says about the answers of its receiver: the table in docs/sinks.md. A test
 * compares it with the sinks.
 */

/**
 * The meaning of an answer.
 * - `sent`: the message was accepted.
 * - `part`: some of several receivers accepted it.
 * - `too_large`: the size of the message is refused.
 * - `refused`: this message is refused for good.
 * - `closed`: no message is accepted there now.
 * - `gone`: no message will be accepted there again.
 * - `wait`: not now.
 * - `passing`: anything else.
 */
export type AnswerMeaning =
  | "sent"
  | "part"
  | "too_large"
  | "refused"
  | "closed"
  | "gone"
  | "wait"
  | "passing";

/**
 * An example of an answer: over HTTP, by a mail server to commands that begin like this, by a
 * program, or by a disk.
 */
export type GivenAnswer =
  | {
      readonly kind: "http";
      readonly status: number;
      readonly body?: string;
      /** Whether an incoming webhook gives this answer, for a type that has bots, too. */
      readonly isWebhook?: true;
      /** Settings that the answer depends on. */
      readonly settings?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "smtp"; readonly commands: Readonly<Record<string, string>> }
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "disk"; readonly code: string }
  | { readonly kind: "nothing" };

export interface MeantAnswer {
  /** The answer in words. */
  readonly answer: string;
  readonly means: AnswerMeaning;
  readonly example: GivenAnswer;
}

/** Returns answers that consist of a status only. A 429 has no time to wait. */
export const byStatus = (
  means: AnswerMeaning,
  ...statuses: readonly number[]
): readonly MeantAnswer[] =>
  statuses.map((status) => ({ answer: String(status), means, example: { kind: "http", status } }));

export const inBody = (
  answer: string,
  means: AnswerMeaning,
  example: Omit<GivenAnswer & { readonly kind: "http" }, "kind">,
): MeantAnswer => ({
  answer,
  means,
  example: { kind: "http", ...example },
});
