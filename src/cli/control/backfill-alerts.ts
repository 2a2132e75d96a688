/** Makes alerts of what a backfill has read: by the running daemon, else in the state itself. A dry run only counts. */
import { backfillWatch, commitBack } from "../../app/backfill/commit-back.ts";
import { createActiveWatches } from "../../app/delivering/active-watches.ts";
import { watchTypeOf } from "../../app/daemon/registration.ts";
import { createRouting } from "../../app/delivering/routing.ts";
import { createActiveSilences } from "../../app/delivering/silences.ts";
import { createServiceClock } from "../../requests/service-clock.ts";
import { sha256 } from "../../runtime/hash.ts";
import type { BackfillView } from "../../server/words/backfill-view.ts";
import { isWorkedOn, postDaemon } from "../access/change-state.ts";
import type { CliContext } from "../terminal/context.ts";
import type { BackfillPlan } from "./backfill-plan.ts";

export interface AlertsView extends BackfillView {
  /** A running daemon sends them now, here or elsewhere on the state. */
  readonly isBeside: boolean;
}

/** What would be sent. */
export async function countBackfill(context: CliContext, { sinceMs, polls, access }: BackfillPlan): Promise<AlertsView> {
  return { ...(await commitBack({ ...partsOf(context, access), route: undefined }, polls, sinceMs)), isBeside: false };
}

const partsOf = ({ clock }: CliContext, { store }: BackfillPlan["access"]) => ({
  store,
  clock,
  hash: sha256,
  serviceClock: createServiceClock(clock),
});

export async function commitAlerts(
  context: CliContext,
  { place, config, watch, state, sinceMs, polls, access }: BackfillPlan,
): Promise<AlertsView> {
  const refused = access.refusalOf(config.sinks);
  if (refused !== undefined) throw refused;
  const by = context.env["USER"] ?? "terminal";
  const query = new URLSearchParams({ watch: watch.id, since: new Date(sinceMs).toISOString(), by }).toString();
  const said = await postDaemon<BackfillView>(context, place, `/api/v1/backfill?${query}`);
  if (said !== undefined) return { ...said, isBeside: true };
  const silences = createActiveSilences(access.store, context.clock);
  await silences.load();
  const routing = createRouting(config, silences.all);
  const active = createActiveWatches(() => routing);
  active.set([{ watch, state, type: watchTypeOf(watch) }]);
  const parts = { ...partsOf(context, access), route: active.route };
  return { ...(await backfillWatch(parts, polls, { watchId: watch.id, sinceMs, by })), isBeside: await isWorkedOn(access.store) };
}
