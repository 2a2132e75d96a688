/** Groups of one schedule are due in the same instant, so that what they probe fits into the same requests. Pure. */
import { canonicalJson } from "../model/hash.ts";
import { spreadMs } from "../schedule/spread.ts";
import type { Poll } from "./poll.ts";

/** The schedules of a poll, in any order. */
export const schedulesKey = ({ schedules }: Pick<Poll, "schedules">): string =>
  canonicalJson(schedules.map((schedule) => canonicalJson({ ...schedule })).sort());

export const groupSpreadMs = (poll: Pick<Poll, "schedules" | "intervalMs">): number =>
  spreadMs(`probes\n${schedulesKey(poll)}`, poll.intervalMs);
