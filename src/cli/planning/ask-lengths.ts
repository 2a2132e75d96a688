/**
 * Implements `--online`: asks the service how long the member lists of a configuration are. The
 * requests use the same request gate and ledger as a daemon's.
 */
import { askLengths, listedAccounts, withLengths } from "../../operate/plan/list-lengths.ts";
import { planQuota } from "../../operate/plan/plan-quota.ts";
import {
  createPlanView,
  type PlanFacts,
  type PlanOnlineView,
  type PlanView,
} from "../../operate/plan/plan-view.ts";
import type { Config } from "../../config/config.ts";
import { sha256 } from "../../runtime/hash.ts";
import type { CliContext } from "../terminal/context.ts";
import { hasState, readState } from "../access/read-state.ts";
import { openService } from "../access/service-access.ts";

/**
 * Returns the watch states with the lengths added, and what the requests cost. Rejects with any
 * error of the request gate.
 */
export async function askOnline(
  context: CliContext,
  config: Config,
  states: PlanFacts["states"],
): Promise<Pick<PlanFacts, "states"> & { readonly online: PlanOnlineView }> {
  const listed = listedAccounts(config, sha256, states);
  if (listed.length === 0) return { states, online: { requests: 0, accounts: 0, missing: [] } };
  const access = await openService(context, {
    api: config.api,
    state: config.state,
    log: context.logger("error"),
  });
  try {
    const { users, missing } = await askLengths(access.gate, listed);
    const accounts = new Set([...users.values()].map(({ id }) => id)).size;
    return {
      states: withLengths(states, listed, users),
      online: { requests: access.spent, accounts, missing },
    };
  } finally {
    await access.close();
  }
}

/**
 * Plans the configuration with the lengths from the service, for `validate`. Uses the stored watch
 * states if they can be read.
 */
export async function checkLengths(
  context: CliContext,
  config: Config,
): Promise<Pick<PlanView, "online" | "watches">> {
  const states = (await hasState(context, config.state))
    ? await readState(context, config, (store) => store.listWatches()).catch(() => [])
    : [];
  const quota = planQuota(config.api.quota.monthly, { failure: "" });
  return createPlanView(config, {
    hash: sha256,
    nowMs: context.clock.now(),
    quota,
    ...(await askOnline(context, config, states)),
  });
}
