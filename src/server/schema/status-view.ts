/**
 * The JSON of `/api/v1/status`. Names are snake_case and times are ISO 8601 in UTC, as in the body
 * of webhooks.
 */
import { z } from "zod";
import { quotaViewSchema } from "./budget-view.ts";
import { eventLineSchema } from "./event-view.ts";
import { replicaViewSchema, unclaimedViewSchema } from "./replica-view.ts";
import { list } from "./schema.ts";
import { silenceViewSchema } from "./silence-view.ts";
import { sinkViewSchema } from "./sink-view.ts";
import { watchViewSchema } from "./watch-view.ts";

const upstreamViewSchema = z
  .object({
    up: z.boolean(),
    reason: z.string().describe("Why the service is down, or `throttled`; empty if all is well."),
    since: z.string().nullable(),
    next_attempt_at: z
      .string()
      .nullable()
      .describe("When the next request is made, if the service asked to wait; otherwise null."),
  })
  .meta({ id: "Upstream" });

export const archiveViewSchema = z
  .object({
    off: z.string().describe("Why nothing is archived now; empty if it is."),
    reads: z.number().describe("The number of polls in it that found something."),
    bytes: z.number(),
    since: z.string().nullable().describe("The time of the oldest; null if there is none."),
  })
  .meta({ id: "Archive" });
export type ArchiveView = z.infer<typeof archiveViewSchema>;

export const reloadViewSchema = z
  .object({
    at: z.string(),
    asked_by: z.string().describe("What asked for the reload: `SIGHUP`, `API`, `file change`."),
    memory: list(z.string()).describe(
      "What the reload did to the memory of watches, a sentence for each. Unaffected watches are left out.",
    ),
    sends: list(z.string()).describe("What the reload sent by itself, a sentence for each watch."),
  })
  .meta({ id: "Reload" });
export type ReloadView = z.infer<typeof reloadViewSchema>;

export const configViewSchema = z
  .object({
    file: z.string(),
    loaded_at: z.string(),
    warnings: list(z.string()).describe("Warnings in the form `file:line:column: sentence`."),
    last_reload: reloadViewSchema
      .nullable()
      .describe("The last reload since the start that changed something; null if none has."),
    failed_reload: z
      .object({
        at: z.string(),
        errors: list(z.string()),
      })
      .nullable()
      .describe("The last refused reload; null once a reload succeeds."),
  })
  .meta({ id: "Config" });
export type ConfigView = z.infer<typeof configViewSchema>;

export const gapViewSchema = z
  .object({
    watches: list(z.string()).describe("The ids of the watches that read the feed."),
    opened_at: z.string(),
    shrunk_at: z
      .string()
      .describe("When a poll last read a part of the gap; until then, when it opened."),
    polls: z.number().describe("The number of polls since then."),
    cause: z
      .enum(["quota", "service", "depth"])
      .describe(
        "Why the last of these polls did not shrink it: the quota, the service, or the depth of a poll.",
      ),
    stuck: z
      .boolean()
      .describe(
        "Whether an ops alert was raised about it, because it did not shrink for ten polls and ten minutes.",
      ),
  })
  .meta({ id: "Gap", description: "A gap in covered history that waits to be filled." });
export type GapView = z.infer<typeof gapViewSchema>;

export const statusViewSchema = z
  .object({
    state: z
      .enum(["running", "degraded", "paused"])
      .describe(
        "`degraded` means that the daemon runs but needs attention; `paused` means that nothing is polled at all. `reasons` says why.",
      ),
    reasons: list(z.string()).describe("A sentence for each problem; empty if `running`."),
    version: z.string(),
    started_at: z.string(),
    uptime_seconds: z.number(),
    replicas: list(replicaViewSchema)
      .nullable()
      .describe("Daemons that share the state, oldest first; null if the state is a file."),
    unclaimed: unclaimedViewSchema
      .nullable()
      .describe("Work that no replica does; null if there is none, or if the state is a file."),
    upstream: upstreamViewSchema,
    quota: quotaViewSchema,
    gaps: z.number().describe("The number of gaps in covered history that wait to be filled."),
    open_gaps: list(gapViewSchema).describe("The oldest gaps, at most fifty."),
    watches: list(watchViewSchema),
    sinks: list(sinkViewSchema),
    silences: list(silenceViewSchema).describe("The active silences."),
    recent_events: list(eventLineSchema).describe("The last events, newest first, about twenty."),
    archive: archiveViewSchema.describe("What polls found, kept for backtests."),
    config: configViewSchema,
  })
  .meta({ id: "Status" });
export type StatusView = z.infer<typeof statusViewSchema>;

export const stoppedViewSchema = statusViewSchema
  .pick({
    reasons: true,
    quota: true,
    watches: true,
    sinks: true,
    silences: true,
    recent_events: true,
    archive: true,
  })
  .extend({
    state: z
      .enum(["not_running", "elsewhere"])
      .describe("`elsewhere` means that daemons run on the state, but none of them answers here."),
    replicas: list(replicaViewSchema),
  })
  .meta({ id: "Stopped", description: "The status when no daemon answers here." });
export type StoppedView = z.infer<typeof stoppedViewSchema>;

export type DaemonState = StatusView["state"];
