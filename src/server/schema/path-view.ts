/**
 * The JSON that `explain` adds to the state of a delivery: how the alert came to the sink, and what
 * happened in each attempt.
 */
import { z } from "zod";
import { list } from "./schema.ts";

const threadViewSchema = z
  .object({
    first_message: z.string(),
    is_first: z.boolean().describe("Whether it is the first message itself."),
    ref: z
      .string()
      .nullable()
      .describe("The sink's own id of the first message; null until that was sent."),
  })
  .meta({ id: "Thread" });

const repeatViewSchema = z
  .object({
    count: z.number().describe("How often the alert was sent again."),
    next_at: z
      .string()
      .nullable()
      .describe("When the next repeat is due; null if only the end is reported."),
  })
  .meta({ id: "Repeat" });

const escalationViewSchema = z
  .object({
    ended: z
      .enum(["acknowledged", "silenced", "replayed", "unsent", "done"])
      .nullable()
      .describe(
        "Why nothing more is escalated; null while a step is to come. - `acknowledged`: an undo restarts the steps that were not sent. - `unsent`: the alert is not sent on its own, for example because it is in a digest.",
      ),
    steps: list(
      z
        .object({
          sink: z.string(),
          after: z.string(),
          state: z
            .enum(["planned", "sent", "passed", "dropped"])
            .describe(
              "`passed` means that its `when` was false; `dropped` means that the configuration did not have it any more.",
            ),
          at: z
            .string()
            .nullable()
            .describe("When it happened or is due; null if it will not happen."),
          event: z.string().nullable().describe("The id of the event that was sent."),
        })
        .meta({ id: "EscalationStep" }),
    ),
  })
  .meta({ id: "Escalation" });
export type EscalationView = z.infer<typeof escalationViewSchema>;

export const editViewSchema = z
  .object({
    state: z
      .enum(["waiting", "done", "dropped", "refused"])
      .describe(
        "`dropped` means that the edit was given up until the tweet changes again; `refused` means that the message cannot be edited.",
      ),
    due_at: z.string().nullable().describe("When the edit is due; null if it does not wait."),
    edited_at: z.string().nullable().describe("When the message was last edited."),
    error: z.string().describe("The sink's error in the last attempt; empty if that succeeded."),
  })
  .meta({ id: "Edit" });
export type EditView = z.infer<typeof editViewSchema>;

export const pathSilenceViewSchema = z
  .object({
    id: z.string(),
    matchers: list(z.string()),
    author: z.string(),
    comment: z.string(),
    ends_at: z.string().nullable(),
  })
  .meta({ id: "PathSilence" });
export type PathSilenceView = z.infer<typeof pathSilenceViewSchema>;

export const attemptViewSchema = z
  .object({
    at: z.string(),
    result: z.enum(["sent", "failed"]),
    answer: z
      .string()
      .describe(
        "The sink's error if the attempt failed, or its id of the message if it succeeded.",
      ),
  })
  .meta({ id: "Attempt" });
export type AttemptView = z.infer<typeof attemptViewSchema>;

export const pathViewSchema = z
  .object({
    route: z
      .string()
      .nullable()
      .describe(
        "The place of the route that sent the alert there, such as `route.routes[0]`; null unless `routed_by` is `route`. For alerts from before schema 25 it is found with the current configuration.",
      ),
    routed_by: z
      .enum(["route", "watch", "ops", "replay", "escalation", "unknown"])
      .describe(
        "What sent the alert to the sink. - `replay`: an operator. - `unknown`: the alert is from before schema 25, and the current configuration would not send it there.",
      ),
    matchers: list(z.string()),
    group: list(z.string()).describe(
      "The labels of the alert's group with their values, or another reason why it was gathered with others; empty if it was sent by itself.",
    ),
    throttle: z
      .string()
      .nullable()
      .describe(
        "The throttle that counts the alert, such as `30 messages in 10m`; null if none does.",
      ),
    silence: pathSilenceViewSchema.nullable(),
    replayed_at: z
      .string()
      .nullable()
      .describe("When an operator last sent it again; null if nobody did."),
    joined_event: z
      .string()
      .nullable()
      .describe("The event whose alert this one was delivered with, or repeats."),
    thread: threadViewSchema
      .nullable()
      .describe(
        "The place of its message in a thread or in a digest of several messages; null if the message stands by itself.",
      ),
    template: z
      .string()
      .nullable()
      .describe(
        "The template chosen for the message; null if there was none, or if there is no message yet.",
      ),
    template_error: z
      .string()
      .nullable()
      .describe(
        "Why the template failed, so that the default message was sent; null if it did not fail.",
      ),
    repeat: repeatViewSchema
      .nullable()
      .describe(
        "Repeats of an alert on a value that is still across its threshold; null unless `repeat_interval` or `send_resolved` asks for more alerts.",
      ),
    escalation: escalationViewSchema
      .nullable()
      .describe("What follows if nobody acknowledges the alert; null if nothing does."),
    attempt_log: list(attemptViewSchema).describe(
      "Oldest first: up to 50 failed attempts, and the one that ended it.",
    ),
    edit: editViewSchema
      .nullable()
      .describe("The newest edit of the message; null if it never had to be edited."),
    link: z
      .string()
      .nullable()
      .describe("Where people see the message; null if that cannot be known."),
  })
  .meta({ id: "Path" });
export type PathView = z.infer<typeof pathViewSchema>;
