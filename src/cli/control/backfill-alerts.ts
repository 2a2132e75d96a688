/** Turns what a backfill has read into alerts, or only counts them in a dry run. */
import { commitBack } from "../../operate/backfill/commit-back.ts";
import { createServiceClock } from "../../requests/service-clock.ts";
import { sha256 } from "../../runtime/hash.ts";
import type { Effect } from "../../server/schema/change-view.ts";
import type { BackfillView } from "../../server/schema/backfill-view.ts";
import { ask, queryText } from "../access/ask.ts";
import { nameCaller, type CliContext } from "../terminal/context.ts";
import type { BackfillPlan } from "./backfill-plan.ts";

/** Counts the alerts that would be sent. */
export function countBackfill(
  { clock }: CliContext,
  { sinceMs, polls, access }: BackfillPlan,
): Promise<BackfillView> {
  const parts = {
    store: access.store,
    clock,
    hash: sha256,
    serviceClock: createServiceClock(clock),
    route: undefined,
  };
  return commitBack(parts, polls, sinceMs);
}

export async function commitAlerts(
  context: CliContext,
  { place, config, watch, sinceMs, access }: BackfillPlan,
): Promise<BackfillView & Effect> {
  const refused = access.refusalOf(config.sinks);
  if (refused !== undefined) throw refused;
  const query = queryText({
    watch: watch.id,
    since: new Date(sinceMs).toISOString(),
    by: nameCaller(context),
  });
  return ask(context, place, { method: "POST", path: `/api/v1/backfill?${query}` });
}
