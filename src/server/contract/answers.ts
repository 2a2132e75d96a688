/**
 * The schemas of all answers, by the names that routes use for them. Only the description of the
 * API and tests load these schemas; answering a request needs none.
 */
import { z } from "zod";
import { backfillViewSchema } from "../schema/backfill-view.ts";
import { budgetViewSchema } from "../schema/budget-view.ts";
import {
  effectSchema,
  healthViewSchema,
  pauseViewSchema,
  reloadedViewSchema,
  resumedSinkViewSchema,
} from "../schema/change-view.ts";
import { deadViewSchema, resentViewSchema } from "../schema/dead-view.ts";
import { eventsViewSchema } from "../schema/event-view.ts";
import { explainViewSchema } from "../schema/explain-view.ts";
import {
  heldViewSchema,
  addedSilenceViewSchema,
  silencesViewSchema,
  silenceViewSchema,
} from "../schema/silence-view.ts";
import { markedViewSchema, notRelevantViewSchema } from "../schema/mark-view.ts";
import { problemViewSchema } from "../schema/problem-view.ts";
import { renderViewSchema } from "../schema/render-view.ts";
import { replayRecordsViewSchema, replayViewSchema } from "../schema/replay-view.ts";
import {
  activityViewSchema,
  reportViewSchema,
  watchDaysViewSchema,
} from "../schema/report-view.ts";
import { jsonObjectSchema, nextSchema } from "../schema/schema.ts";
import { silenceBodySchema } from "./silence-body.ts";
import { statusViewSchema, stoppedViewSchema } from "../schema/status-view.ts";
import { tailLineSchema } from "../schema/tail-view.ts";
import { watchesViewSchema } from "../schema/watch-view.ts";

const page = { next: nextSchema };

export const ANSWERS = {
  Activity: activityViewSchema,
  Acknowledged: z.object({ acknowledged: z.number() }).meta({ id: "Acknowledged" }),
  AddedSilence: addedSilenceViewSchema.extend(effectSchema.shape).meta({ id: "AddedSilence" }),
  Backfill: backfillViewSchema.extend(effectSchema.shape).meta({ id: "Backfill" }),
  Budget: budgetViewSchema,
  Dead: deadViewSchema.extend(page).meta({ id: "Dead" }),
  Document: jsonObjectSchema,
  EndedSilence: silenceViewSchema.extend(effectSchema.shape).meta({ id: "EndedSilence" }),
  Events: eventsViewSchema,
  Explain: explainViewSchema,
  Health: healthViewSchema,
  Held: heldViewSchema.extend(effectSchema.shape).meta({ id: "Held" }),
  Marked: markedViewSchema.extend(effectSchema.shape).meta({ id: "Marked" }),
  MarkedNotRelevant: notRelevantViewSchema
    .extend(effectSchema.shape)
    .meta({ id: "MarkedNotRelevant" }),
  Pause: pauseViewSchema.extend(effectSchema.shape).meta({ id: "Pause" }),
  Problem: problemViewSchema,
  Reloaded: reloadedViewSchema,
  Render: renderViewSchema,
  Replay: replayViewSchema,
  Replays: replayRecordsViewSchema.extend(page).meta({ id: "Replays" }),
  Report: reportViewSchema,
  Resent: resentViewSchema.extend(effectSchema.shape).meta({ id: "Resent" }),
  ResumedSink: resumedSinkViewSchema.extend(effectSchema.shape).meta({ id: "ResumedSink" }),
  SentAlerts: z.object({ alerts: z.number(), ...effectSchema.shape }).meta({ id: "SentAlerts" }),
  SilenceBody: silenceBodySchema,
  Silences: silencesViewSchema.extend(page).meta({ id: "Silences" }),
  Status: z.union([statusViewSchema, stoppedViewSchema]),
  TailLine: tailLineSchema,
  WatchDays: watchDaysViewSchema,
  Watches: watchesViewSchema,
} as const satisfies Readonly<Record<string, z.ZodType>>;

export type AnswerName = keyof typeof ANSWERS;
