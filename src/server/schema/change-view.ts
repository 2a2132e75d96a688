/** The JSON of the answers to the routes of `/api/v1/…` that change something. */
import { z } from "zod";
import { ON_RETURNS } from "../../model/watch.ts";
import { list } from "./schema.ts";

export const memoryViewSchema = z
  .object({
    watch: z.string(),
    part: z
      .string()
      .describe("What was edited: `query`, `where`, names of accounts, or `watch` itself."),
    effect: z.enum(["kept", "new_baseline", "dropped"]),
    detail: z.string(),
    sends: z
      .string()
      .exactOptional()
      .describe("What the change sends by itself; absent if that is nothing."),
  })
  .meta({
    id: "Memory",
    description: "What an edit of the configuration does to the memory of a watch.",
  });
export type MemoryView = z.infer<typeof memoryViewSchema>;

export const reloadedViewSchema = z
  .union([
    z.object({
      status: z.literal("reloaded"),
      changed: z.boolean(),
      memory: list(memoryViewSchema),
    }),
    z.object({
      status: z.literal("asked"),
      replicas: z
        .number()
        .describe("The daemons elsewhere on the state that were asked; each logs what came of it."),
    }),
  ])
  .meta({ id: "Reloaded" });

/** A text for people that says when a change takes effect and which daemon carries it out. */
export const effectSchema = z.object({
  effect: z
    .string()
    .describe("A text such as `now`, `now, by 10.0.0.3#k3x9` or `at the next start`."),
});
export type Effect = z.infer<typeof effectSchema>;

export const pauseViewSchema = z.object({
  watch: z.string(),
  paused: z.boolean(),
  was_paused: z.boolean(),
  away_since: z
    .string()
    .nullable()
    .describe("Since when the watch was paused or disabled; null if it was neither."),
  on_return: z.enum(ON_RETURNS).describe("What happens to what came meanwhile."),
});
export type PauseView = z.infer<typeof pauseViewSchema>;

export const resumedSinkViewSchema = z.object({
  sink: z.string(),
  was_disabled: z
    .boolean()
    .describe(
      "Whether the sink was disabled because its receiver had said that its address is gone.",
    ),
});
export type ResumedSinkView = z.infer<typeof resumedSinkViewSchema>;

export const healthViewSchema = z
  .object({
    status: z.enum(["ok", "failing", "standby"]),
    reason: z.string().describe("A short sentence without secrets; empty if all is well."),
  })
  .meta({ id: "Health" });
