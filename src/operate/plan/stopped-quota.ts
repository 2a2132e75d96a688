/**
 * Reads the quota from the state, for commands when no daemon runs. The computation is the same as
 * in a daemon, but it uses the figures that the service reported last, and no learned correction of
 * the forecast.
 */
import { spendingLimit } from "../../budget/spending-limit.ts";
import { quotaPeriod } from "../../budget/quota-period.ts";
import { expectedRequests, forecastRequests, slowDownFactors } from "../../budget/slow-down.ts";
import type { Config } from "../../config/config.ts";
import { readAudit } from "../../engine/quota/audit-readings.ts";
import { limitOfKey, totalQuota } from "../../engine/quota/total-quota.ts";
import type { Clock } from "../../model/clock.ts";
import type { Files } from "../../model/files.ts";
import type { Hash } from "../../model/hash.ts";
import type { Store } from "../../model/store.ts";
import { createCostModel } from "../../forecast/cost.ts";
import { knownPages } from "../../plan/polls/full-read.ts";
import { planPace, pricePolls } from "../../forecast/pace.ts";
import { createTimetable } from "../../schedule/timetable.ts";
import { planWatches, pollsOf } from "./configured-polls.ts";
import { createKeyHolder } from "../key-holder.ts";
import { readKnown } from "./known-state.ts";
import type { QuotaFacts, Spending } from "../views/quota-view.ts";

export interface StoppedQuota {
  readonly facts: QuotaFacts;
  readonly spending: Spending;
}

export async function readStoppedQuota(
  store: Store,
  config: Config,
  { files, hash, clock }: { readonly files: Files; readonly hash: Hash; readonly clock: Clock },
): Promise<StoppedQuota> {
  const { quota } = config.api;
  const nowMs = clock.now();
  const period = quotaPeriod(nowMs, quota);
  const { total, lines } = await store.spentSince(period.startMs);
  const learned = await readAudit(store, period.id);
  const spentByKey = new Map<string, number>();
  for (const { key, requests } of lines) spentByKey.set(key, (spentByKey.get(key) ?? 0) + requests);
  const held = createKeyHolder(config.api, { files, hash, addSecret: () => undefined }).held;
  const keys = held.map(({ name, monthly }) => ({
    name,
    limit: limitOfKey(monthly, learned.get(name)?.limit),
    isUsable: true,
  }));
  const { limit, reserve } = totalQuota(quota, keys, spentByKey);
  const { states, ratioOf } = await readKnown(store, config, { hash, clock });
  const timetable = createTimetable();
  const polls = pollsOf([...planWatches(config, hash, states).values()], {
    hash,
    timetable,
    nowMs,
    states,
  });
  const costs = createCostModel({ timetable, pagesOf: (poll) => knownPages(poll, states) });
  const priced = pricePolls(polls, costs, nowMs, ratioOf);
  const { onExhausted } = quota;
  const query = {
    spent: total,
    limit,
    reserve,
    nowMs,
    periodEndMs: period.endMs,
    onExhausted,
    correctionFactor: 1,
    polls: priced,
  };
  const pace = planPace(priced, slowDownFactors(query));
  const facts: QuotaFacts = {
    limit,
    monthly: quota.monthly,
    softLimit: spendingLimit({ monthly: limit, reserve, purpose: "poll" }),
    spent: total,
    forecast: total + forecastRequests(pace.askedPerDay, nowMs, period.endMs),
    expected: expectedRequests(query, pace.pacedPerDay),
    onExhausted,
    period,
    factors: undefined,
    paces: pace.watches,
    drift: [...learned.values()].reduce((sum, { drift }) => sum + drift, 0),
    keys: keys.map(({ name, limit: own }) => ({
      name,
      limit: own,
      spent: spentByKey.get(name) ?? 0,
      because: undefined,
    })),
  };
  return {
    facts,
    spending: { lines, hours: await store.spentByHour(period.startMs), config, nowMs },
  };
}
