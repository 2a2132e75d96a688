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
import { openStore } from "../../../src/state/open.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import type { Scenario, Step } from "../draw/scenario.ts";
import { simulate } from "../run/simulate.ts";
import { type LeftItem, readItems } from "./read-items.ts";

export interface BacktestAccount {
  readonly objections: readonly string[];
  readonly view: BacktestView | undefined;
  readonly counts: {
    readonly items: number;
    readonly alerts: number;
    readonly explained: number;
  };
}

/**
 * A replay knows one configuration and one clock, and nothing of what a command read back. Replicas
 * whose clocks differ archive in an order of their own.
 */
const NOT_REPLAYED: ReadonlySet<Step["do"]> = new Set(["reload", "jump", "backfill", "ask"]);

const replayable = ({ skewsMs: _, ...scenario }: Scenario): Scenario => ({
  ...scenario,
  steps: scenario.steps.filter((step) => !NOT_REPLAYED.has(step.do)),
});

export async function checkBacktest(scenario: Scenario): Promise<BacktestAccount> {
  let account: BacktestAccount | undefined;
  await simulate(
    replayable(scenario),
    () => true,
    undefined,
    async (path, { endMs }) => {
      account = await checkState(path, scenario.startMs, endMs + 1);
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
  const store = await openStore({
    ...{ path, random: createSeededRandom(1), log: NO_LOG },
    clock: { now: () => untilMs, monotonic: () => untilMs, after: () => () => undefined },
  });
  try {
    if ((await store.archiveSize()).reads === 0) return NOTHING_READ;
    const config = await loadActiveConfig(await store.currentConfig());
    const items: ReplayedItem[] = [];
    const run = (onItem: (item: ReplayedItem) => void) =>
      runBacktest(
        config,
        config,
        { sinceMs: sinceMs - DAY_MS, untilMs, watch: undefined, sink: undefined, limit: 5 },
        { store, hash: sha256, onProgress: () => undefined, onItem },
      );
    const view = await run((item) => items.push(item));
    const again = await run(() => undefined);
    const stored = readItems(path);
    return {
      view,
      objections: [
        ...(JSON.stringify(again) === JSON.stringify(view) ? [] : ["two replays differ"]),
        ...changed(view),
        ...unexplained(view),
        ...otherItems(stored, items),
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
const NOTHING_READ: BacktestAccount = {
  ...{ objections: [], view: undefined },
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

/** Compares the verdicts on items that were alerted or not. */
function otherItems(
  stored: readonly LeftItem[],
  replayed: readonly ReplayedItem[],
): readonly string[] {
  const own = new Map<string, ReplayedItem>();
  for (const item of replayed) {
    const key = `${item.watchKey} ${item.targetKey} ${item.subject.split("/").at(-1)}`;
    const known = own.get(key);
    // A post that was kept back may raise an alert later. An account that joins again has an item
    // since it first did.
    const isLate = item.type === "tweet.created" && item.reason === undefined;
    if (known === undefined || (known.reason !== undefined && isLate)) own.set(key, item);
  }
  return stored.flatMap(({ watchKey, targetKey, itemId, kind, verdict, detail }) => {
    const item = own.get(`${watchKey} ${targetKey} ${itemId}`);
    // The members that a list had when its watch began are not archived, and may join again.
    if (kind === "user" && verdict === "baseline" && detail === THERE_BEFORE) return [];
    const was = `${verdict} ${detail}`;
    if (item === undefined) return [`item ${itemId} of ${watchKey} is not replayed: ${was}`];
    return isAlike(item, { verdict, detail })
      ? []
      : [
          `item ${itemId} of ${watchKey}: ${was}, replayed: ${item.found} ${item.reason ?? "event"}`,
        ];
  });
}

function isAlike(
  { found, reason }: ReplayedItem,
  { verdict, detail }: Pick<LeftItem, "verdict" | "detail">,
): boolean {
  if (reason === undefined) return verdict === "event";
  // What a `where` found is not part of the reasons that are counted.
  const isReason = reason.startsWith(WHERE)
    ? detail.startsWith(WHERE)
    : detail === reason || detail.startsWith(`${reason} (`);
  if (!isReason) return false;
  if (found !== "news") return verdict === found;
  return verdict === (reason === MISSED ? "baseline" : "filtered");
}

const WHERE = "where is false: ";
const THERE_BEFORE = "it was there when the watch began";
const MISSED = "it came while the watch was away";

const nothing = () => undefined;
const NO_LOG = {
  ...{ debug: nothing, info: nothing, warn: nothing, error: nothing },
  child: () => NO_LOG,
};
