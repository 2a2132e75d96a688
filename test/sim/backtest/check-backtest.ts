/**
 * Plays a scenario, replays its archive with the configuration that was active, and compares the
 * replay with what the state recorded: the alerts at each sink, and the reason of every other item.
 * A difference needs a cause that the state recorded.
 */
import { loadActiveConfig } from "../../../src/app/backtest/active-config.ts";
import { runBacktest } from "../../../src/app/backtest/backtest.ts";
import type { BacktestView } from "../../../src/operate/backtest/backtest-view.ts";
import type { ReplayedItem } from "../../../src/operate/backtest/replayed-watches.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import type { Scenario, Step } from "../draw/scenario.ts";
import { simulate } from "../run/simulate.ts";
import { compareItems } from "./compare-items.ts";
import { openState } from "./named-state.ts";
import { readItems } from "./read-items.ts";

export interface BacktestAccount {
  readonly objections: readonly string[];
  readonly counts: {
    readonly items: number;
    readonly alerts: number;
    readonly explained: number;
  };
}

/** The archive is in the order of the daemon's clock, and the clock of a replay never goes back. */
const isReplayed = (step: Step): boolean => step.do !== "jump" || step.byMs > 0;

export async function checkBacktest(scenario: Scenario): Promise<BacktestAccount> {
  let account: BacktestAccount | undefined;
  await simulate(
    { ...scenario, steps: scenario.steps.filter(isReplayed) },
    () => true,
    undefined,
    async (path, { endMs }) => {
      const aheadMs = scenario.steps.reduce(
        (sum, step) => sum + (step.do === "jump" ? Math.max(0, step.byMs) : 0),
        Math.max(0, ...(scenario.skewsMs ?? [])),
      );
      account = await checkState(path, scenario.startMs, endMs + aheadMs + 1);
    },
  );
  if (account === undefined) throw new Error("the simulation ended without a state");
  return account;
}

async function checkState(
  path: string,
  sinceMs: number,
  untilMs: number,
): Promise<BacktestAccount> {
  const store = await openState(path, untilMs);
  try {
    if ((await store.archiveSize()).reads === 0) return NOTHING_READ;
    const config = await loadActiveConfig(await store.currentConfig());
    const items: ReplayedItem[] = [];
    const run = (onActiveItem: (item: ReplayedItem) => void) =>
      runBacktest(
        config,
        config,
        { sinceMs: sinceMs - DAY_MS, untilMs, watch: undefined, sink: undefined, limit: 5 },
        { store, hash: sha256, onProgress: () => undefined, onActiveItem },
      );
    const view = await run((item) => items.push(item));
    const again = await run(() => undefined);
    // What an earlier configuration or a backfill decided is not replayed.
    const activeSinceMs = (await store.configRevisions())[0]?.atMs ?? 0;
    const stored = readItems(path).filter(
      ({ seenAtMs, isBackfilled }) => seenAtMs >= activeSinceMs && !isBackfilled,
    );
    return {
      objections: [
        ...(JSON.stringify(again) === JSON.stringify(view) ? [] : ["two replays differ"]),
        ...changed(view),
        ...unexplained(view),
        ...compareItems(stored, items).map(({ text }) => text),
      ],
      counts: {
        items: stored.length,
        alerts: view.sinks.reduce((sum, { after }) => sum + (after?.alerts ?? 0), 0),
        explained: view.sent.filter((one) => one.is_explained).length,
      },
    };
  } finally {
    await store.close();
  }
}

const DAY_MS = 86_400_000;
export const NOTHING_READ: BacktestAccount = {
  objections: [],
  counts: { items: 0, alerts: 0, explained: 0 },
};

/** A configuration compared with itself changes nothing. */
const changed = ({ added, gone, moved }: BacktestView): readonly string[] =>
  [...added.alerts, ...gone.alerts, ...moved.alerts].map(
    ({ id, watch }) => `compared with itself, the configuration changes ${id} of ${watch}`,
  );

const unexplained = ({ sent }: BacktestView): readonly string[] =>
  sent
    .filter((one) => !one.is_explained)
    .map(
      ({ id, watch, sink, replayed, sent: really, cause }) =>
        `${watch} at ${sink}: ${id} replayed ${replayed}, really ${really}: ${cause}`,
    );
