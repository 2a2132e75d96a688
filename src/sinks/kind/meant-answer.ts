/**
 * Describes the answers of a sink's receiver and what each means for a message. The table in
 * docs/sinks.md is made from these descriptions, and a test compares them with what the sinks do.
 */

/**
 * What an answer means for the message.
 * - `sent`: the receiver accepted the message.
 * - `part`: some of several receivers accepted it.
 * - `too_large`: the message is refused because of its size.
 * - `refused`: this message is refused permanently.
 * - `closed`: the destination accepts no messages at the moment.
 * - `gone`: the destination will never accept messages again.
 * - `wait`: a rate limit is reached; the message is sent later.
 * - `passing`: any other failure; the message is tried again.
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
 * An example of an answer: an HTTP answer, the replies of a mail server to commands that begin with
 * the given texts, the exit code of a program, or the error code of a disk.
 */
export type GivenAnswer =
  | {
      readonly kind: "http";
      readonly status: number;
      readonly body?: string;
      /**
       * Whether only incoming webhooks give this answer, for a sink type that can also use a bot.
       */
      readonly isWebhook?: true;
      /** Settings with which the receiver gives this answer. */
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

/**
 * Returns a description for each status, for answers whose meaning depends on the status alone. An
 * example with 429 has no Retry-After.
 */
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
