/** Changes that make a plan fit its quota, each with its cost and how late alerts then are. The caller puts them into words. Pure. */
import type { Forecast } from "../forecast.ts";
import { type RarerFullPolls, rarerFullPollsThatFit } from "./full-poll-change.ts";
import { type PublicList, listThatFits } from "./public-list.ts";
import type { Replanner } from "./replan.ts";
import { loosened, type Retimed, retimedThatFit, slowed } from "./retiming.ts";

/**
 * - `slower`: these watches are polled less often.
 * - `freshness`: these may find posts later.
 * - `full_poll`: accounts, lists and searches that are read together are each read whole less often.
 * - `list`: a public list of the accounts of one watch, read every `everyMs`.
 */
export type Change =
  | (Retimed & { readonly kind: "slower" })
  | (Retimed & { readonly kind: "freshness" })
  | (RarerFullPolls & { readonly kind: "full_poll" })
  | (PublicList & { readonly kind: "list" });

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Intervals that people choose. */
const INTERVAL_STEPS_MS: readonly number[] = [
  ...[2, 5, 10, 15, 20, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 3, 5, 10, 15, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 8, 12, 24, 48, 168].map((hours) => hours * HOUR_MS),
];

/** Every change that brings the plan to `limit` requests a month or less, the one with the smallest loss first. */
export function findChanges(before: Forecast, limit: number, replanner: Replanner): readonly Change[] {
  const goal = { before, limit, timesMs: INTERVAL_STEPS_MS };
  const slower = retimedThatFit(goal, slowed, replanner);
  const looser = retimedThatFit(goal, loosened, replanner);
  const fullPoll = rarerFullPollsThatFit(goal, replanner);
  const list = listThatFits(goal, (slower ?? looser)?.delay, replanner);
  const changes: readonly (Change | undefined)[] = [
    list && { kind: "list", ...list },
    slower && { kind: "slower", ...slower },
    looser && { kind: "freshness", ...looser },
    fullPoll && { kind: "full_poll", ...fullPoll },
  ];
  return changes.filter((one) => one !== undefined).sort((a, b) => a.lossMs - b.lossMs);
}
