/**
 * Plays a world with a configuration and again with a changed one, replays what the first daemon
 * archived with the changed configuration, and compares the replay with what the second daemon
 * recorded. A difference needs a cause: one that the second state recorded, or something that no
 * replay of the first state can know.
 */
import { loadActiveConfig } from "../../../src/app/backtest/active-config.ts";
import { compareWithState } from "../../../src/app/backtest/active-replay.ts";
import { readReplayFacts, replayArchive } from "../../../src/app/backtest/replay-archive.ts";
import type { Config } from "../../../src/config/config.ts";
import type { ArchivedRead } from "../../../src/model/archive.ts";
import { eventId } from "../../../src/model/event.ts";
import { compare as compareAlerts, placedIn } from "../../../src/operate/backtest/compare.ts";
import type { ReplayedItem } from "../../../src/operate/backtest/replayed-watches.ts";
import type { SentDifference } from "../../../src/operate/backtest/sent-differences.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { createDice } from "../draw/dice.ts";
import type { Scenario, Step } from "../draw/scenario.ts";
import { simulate } from "../run/simulate.ts";
import { type BacktestAccount, NOTHING_READ } from "./check-backtest.ts";
import { compareItems } from "./compare-items.ts";
import { drawChange } from "./draw-change.ts";
import { type NamedState, openNamed } from "./named-state.ts";
import { type LeftItem, readItems } from "./read-items.ts";

export interface ChangedAccount extends BacktestAccount {
  /** The share of what the first daemon archived that the second one archived alike. */
  readonly alike: number;
  /** The number of alerts that the change adds, takes away or sends elsewhere. */
  readonly changed: number;
}

/**
 * What people do about alerts and what happens at the nth call of a port follow from what is sent,
 * and each configuration sends something else. A reload would bring the first configuration back.
 */
const LEFT_OUT: ReadonlySet<Step["do"]> = new Set([
  ...(["mark", "hold", "end hold", "ask", "backfill", "reload", "jump"] as const),
  ...(["crash", "stall", "cut off", "part", "server away"] as const),
]);

function paced(scenario: Scenario): Scenario {
  const { replicas: _, skewsMs: _skews, startsMs: _starts, lateMs: _late, ...one } = scenario;
  return {
    ...one,
    isPacedByTime: true,
    steps: scenario.steps.filter((step) => !LEFT_OUT.has(step.do)),
  };
}

export async function checkChanged(scenario: Scenario): Promise<ChangedAccount> {
  const first = paced(scenario);
  const dice = createDice(scenario.seed).apart("changed configuration");
  const second = { ...first, config: drawChange(dice, first.config) };
  let account: ChangedAccount | undefined;
  await simulate(
    first,
    () => true,
    undefined,
    async (path) => {
      await simulate(
        second,
        () => true,
        undefined,
        async (changedPath, { endMs }) => {
          const times = { sinceMs: scenario.startMs - DAY_MS, untilMs: endMs + 1 };
          account = await compareStates({ path, changedPath }, times);
        },
      );
    },
  );
  if (account === undefined) throw new Error("the simulations ended without a state");
  return account;
}

const DAY_MS = 86_400_000;

interface Times {
  readonly sinceMs: number;
  readonly untilMs: number;
}

async function compareStates(
  { path, changedPath }: { readonly path: string; readonly changedPath: string },
  times: Times,
): Promise<ChangedAccount> {
  const one = await openNamed(path, times.untilMs);
  const two = await openNamed(changedPath, times.untilMs);
  try {
    if (one.reads.length === 0) return { ...NOTHING_READ, alike: 1, changed: 0 };
    return await compare(one, two, { ...times, stored: readItems(changedPath) });
  } finally {
    await one.close();
    await two.close();
  }
}

async function compare(
  one: NamedState,
  two: NamedState,
  { stored, sinceMs, untilMs }: Times & { readonly stored: readonly LeftItem[] },
): Promise<ChangedAccount> {
  const active = await loadActiveConfig(one.activeConfig);
  const tried = await loadActiveConfig(two.activeConfig);
  const items: ReplayedItem[] = [];
  const { firstAtMs } = await one.store.archiveSize();
  const fromMs = Math.max(sinceMs, firstAtMs ?? sinceMs);
  const facts = await readReplayFacts(one.store, { fromMs, untilMs }, [active, tried]);
  const deps = { store: one.store, hash: sha256, onProgress: () => undefined };
  const before = await replayArchive({ replayed: active, active }, facts, deps);
  const after = await replayArchive({ replayed: tried, active }, facts, {
    ...deps,
    onItem: (item) => items.push(item),
  });
  const differences = await compareWithState(after, two.store, facts);
  const [was, is] = [before.result.records, after.result.records];
  const { added, gone, moved } = compareAlerts(placedIn(was), placedIn(is));
  await before.close();
  await after.close();
  const names = new Map((await one.store.listWatches()).map(({ key, id }) => [key, id]));
  const unlike = differencesOfReads(one.reads, two.reads, names);
  const objections: string[] = [];
  for (const difference of differences.filter((each) => !each.is_explained))
    if (!(await isUnknowable(difference, { one, tried, unlike })))
      objections.push(textOf(difference));
  for (const { watchKey, itemId, text } of compareItems(stored, items))
    if (!unlike.items.has(`${watchKey} ${itemId}`)) objections.push(text);
  return {
    objections,
    alike: unlike.alike,
    changed: added.length + gone.length + moved.length,
    counts: {
      items: stored.length,
      alerts: is.length,
      explained: differences.length,
    },
  };
}

const textOf = ({ id, watch, sink, replayed, sent, cause }: SentDifference): string =>
  `${watch} at ${sink}: ${id} replayed ${replayed}, in the other world ${sent}: ${cause}`;

/** What the two daemons read at different times, or with other values. */
interface UnlikeReads {
  readonly events: ReadonlySet<string>;
  /** Watches of values that one of them read and the other did not. */
  readonly watches: ReadonlySet<string>;
  readonly items: ReadonlySet<string>;
  readonly alike: number;
}

/** Whether the cause lies in what the first state does not have. */
async function isUnknowable(
  { id, watch, cause }: SentDifference,
  {
    one,
    tried,
    unlike,
  }: { readonly one: NamedState; readonly tried: Config; readonly unlike: UnlikeReads },
): Promise<boolean> {
  // A cause may lie in another alert, with which it was joined.
  const ids = [id, ...(cause.match(/(?<![\w-])[\w-]{22}(?![\w-])/g) ?? [])];
  if (ids.some((each) => unlike.events.has(each)) || unlike.watches.has(watch)) return true;
  const isEnriched = tried.watches.some((each) => each.id === watch && each.enrich !== undefined);
  return isEnriched && !(await one.has(id));
}

function differencesOfReads(
  one: readonly ArchivedRead[],
  two: readonly ArchivedRead[],
  names: ReadonlyMap<string, string>,
): UnlikeReads {
  const [was, is] = [factsIn(one), factsIn(two)];
  const unlike = [...new Set([...was.keys(), ...is.keys()])].filter(
    (key) => was.get(key)?.text !== is.get(key)?.text,
  );
  const facts = unlike.flatMap((key) => was.get(key) ?? is.get(key) ?? []);
  return {
    events: new Set(facts.map(({ id }) => id)),
    watches: new Set(
      facts.flatMap(({ watch, isOfValues }) => (isOfValues ? [names.get(watch) ?? ""] : [])),
    ),
    items: new Set(facts.map(({ item }) => item)),
    alike: was.size === 0 ? 1 : 1 - unlike.length / new Set([...was.keys(), ...is.keys()]).size,
  };
}

interface Read {
  readonly id: string;
  readonly item: string;
  readonly watch: string;
  readonly isOfValues: boolean;
  readonly text: string;
}

/** Returns all that was read about each event, and of each target's values. */
function factsIn(reads: readonly ArchivedRead[]): ReadonlyMap<string, Read> {
  const found = new Map<string, Read>();
  const add = (key: string, read: Read) => {
    const text = `${found.get(key)?.text ?? ""}${read.text}\n`;
    found.set(key, { ...read, text });
  };
  for (const { atMs, facts, values } of reads) {
    for (const { watchKey, targetKey, record, before } of values)
      add(`${watchKey} ${targetKey}`, {
        ...{ id: "", item: "", watch: watchKey, isOfValues: true },
        text: JSON.stringify([atMs, record, before["values"] ?? before["ranks"]]),
      });
    for (const fact of facts) {
      // What thresholds make of values is what is compared.
      if (fact.episode.startsWith("values ")) continue;
      const id = eventId(sha256, fact.watchKey, fact);
      add(id, {
        id,
        item: `${fact.watchKey} ${fact.subject.split("/").at(-1)}`,
        ...{ watch: fact.watchKey, isOfValues: false },
        text: JSON.stringify([atMs, fact.found, fact.missed, fact.body]),
      });
    }
  }
  return found;
}
