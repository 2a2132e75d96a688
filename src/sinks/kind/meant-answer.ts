/**
 * What a sink type says about the answers of its receiver: the table in docs/sinks.md, which a test
 * holds the sinks to.
 */

/**
 * - `sent`: taken.
 * - `part`: some of several receivers took it.
 * - `too_large`: the size of the message is refused.
 * - `refused`: this message is refused for good.
 * - `closed`: nobody can post there now.
 * - `gone`: nobody will post there again.
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
 * One answer as it is given: over HTTP, by a mail server to the commands that begin so, by a
 * program, by a disk.
 */
export type GivenAnswer =
  | {
      readonly kind: "http";
      readonly status: number;
      readonly body?: string;
      /** To an incoming webhook, of a type that has bots, too. */
      readonly isWebhook?: true;
      /** Settings that it depends on. */
      readonly settings?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "smtp"; readonly commands: Readonly<Record<string, string>> }
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "disk"; readonly code: string }
  | { readonly kind: "nothing" };

export interface MeantAnswer {
  /** For people. */
  readonly answer: string;
  readonly means: AnswerMeaning;
  readonly example: GivenAnswer;
}

/** A status alone; of 429 without a time to wait. */
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
