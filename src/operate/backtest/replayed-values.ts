/**
 * Detects again what archived records show, for watches whose thresholds, fields or ranks are not
 * those by which the archive's facts were found. All other facts stay as they are.
 */
import { detectRanking, type RankingMemory, type RankingRule } from "../../detect/ranking.ts";
import {
  detectReading,
  type ReadingMemory,
  type ReadingRule,
  readValues,
} from "../../detect/reading.ts";
import type { ArchivedRead, FoundFact, FoundValues } from "../../model/archive.ts";
import type { JsonObject } from "../../model/json.ts";
import type { TargetRef, TargetState } from "../../model/watch-store.ts";
import { rankedEntries, rankingFacts } from "../../polling/evaluate/evaluate-ranking.ts";
import { readingFacts, readingMemory } from "../../polling/evaluate/evaluate-reading.ts";
import type { Fact } from "../../polling/evaluate/make-event.ts";
import type { Beside } from "../../polling/read/beside.ts";
import type { Planned } from "../../polling/watch-poll.ts";

/** A watch whose records are detected again. */
interface Changed {
  readonly rule: ReadingRule | RankingRule;
  readonly targets: ReadonlyMap<string, TargetState>;
}

export class ReplayedValues {
  readonly #changed: ReadonlyMap<string, Changed>;
  readonly #readings = new Map<string, ReadingMemory>();
  readonly #rankings = new Map<string, RankingMemory>();
  /** The accounts and records that the last facts about a target showed besides its values. */
  readonly #beside = new Map<string, Beside>();

  /** `active` are the watches by which the facts were found. */
  constructor(planned: readonly Planned[], active: readonly Planned[]) {
    const rules = new Map(active.map((one) => [one.watchKey, JSON.stringify(ruleOf(one))]));
    this.#changed = new Map(
      planned.flatMap((one) => {
        const rule = ruleOf(one);
        const isSame = rule === undefined || rules.get(one.watchKey) === JSON.stringify(rule);
        const targets = new Map(one.targets.map((target) => [target.key, target]));
        return isSame ? [] : [[one.watchKey, { rule, targets }] as const];
      }),
    );
  }

  /** Returns the facts of a read by the rules of the watches. */
  factsOf(read: ArchivedRead): readonly FoundFact[] {
    if (this.#changed.size === 0) return read.facts;
    const again = new Set<string>();
    const detected = read.values.flatMap((values) => {
      const watch = this.#changed.get(values.watchKey);
      const target = watch?.targets.get(values.targetKey);
      if (watch === undefined || target === undefined) return [];
      again.add(keyOf(values));
      this.#remember(watch, values, read);
      const { rule } = watch;
      const episode = values.episode === "" ? String(read.atMs) : values.episode;
      const context = { episode, detectedAtMs: read.atMs };
      const facts =
        "list" in rule
          ? this.#rank(values, target, { ...context, rule })
          : this.#compare(values, target, { ...context, rule });
      return facts.map((fact): FoundFact => ({ ...refOf(values), found: "news", ...fact }));
    });
    return [...read.facts.filter((fact) => this.#isKept(fact, again)), ...detected];
  }

  /** Whether a fact stays as it was found. Of the changed watches, only the end of a record does. */
  #isKept(fact: FoundFact, again: ReadonlySet<string>): boolean {
    const rule = this.#changed.get(fact.watchKey)?.rule;
    if (rule === undefined) return true;
    return !again.has(keyOf(fact)) && "fields" in rule && rule.gone?.event === fact.type;
  }

  #remember({ rule }: Changed, ref: TargetRef, { facts }: ArchivedRead): void {
    const body = facts.find((fact) => keyOf(fact) === keyOf(ref))?.body;
    if (body === undefined || "list" in rule) return;
    const companion = body[rule.companion?.name ?? ""] as JsonObject | undefined;
    this.#beside.set(keyOf(ref), { profile: body.user, other: body.target, companion });
  }

  #compare(
    values: FoundValues,
    target: TargetState,
    context: { rule: ReadingRule; episode: string; detectedAtMs: number },
  ): readonly Fact[] {
    const { rule } = context;
    const key = keyOf(values);
    const reading = readValues(values.record, rule);
    if (reading === undefined) return [];
    const finding = detectReading(this.#memoryBefore(values, rule), reading, rule);
    this.#readings.set(key, finding.memory);
    const beside = this.#beside.get(key) ?? {};
    return readingFacts(finding, values.record, target, { ...context, ...beside });
  }

  /**
   * Returns what the watch would remember before a record. Where values are missing between the
   * records, or before the first one, the values that the daemon remembered are taken as read.
   */
  #memoryBefore({ before, ...ref }: FoundValues, rule: ReadingRule): ReadingMemory | undefined {
    const own = this.#readings.get(keyOf(ref));
    const stored = readingMemory(before)?.values ?? {};
    const read = Object.entries(stored).filter(([name]) => rule.fields.includes(name));
    const isWhole = read.every(([name, value]) => own?.values[name] === value);
    return isWhole ? own : detectReading(own, Object.fromEntries(read), rule).memory;
  }

  #rank(
    values: FoundValues,
    target: TargetState,
    context: { rule: RankingRule; episode: string; detectedAtMs: number },
  ): readonly Fact[] {
    const { rule } = context;
    const key = keyOf(values);
    const entries = rankedEntries(values.record, rule);
    if (entries.size === 0) return [];
    const own = this.#rankings.get(key) ?? ranksBefore(values, rule);
    const finding = detectRanking(own, [...entries.keys()], rule);
    this.#rankings.set(key, finding.memory);
    return rankingFacts(finding, entries, target, context);
  }
}

const keyOf = ({ watchKey, targetKey }: TargetRef): string => `${watchKey}\n${targetKey}`;

const refOf = ({ watchKey, targetKey, targetName, missed }: FoundValues) => ({
  ...{ watchKey, targetKey, targetName },
  ...(missed === undefined ? {} : { missed }),
});

/** Returns what a watch reads of a record; undefined if it is not about records. */
function ruleOf({ type, watch }: Planned): ReadingRule | RankingRule | undefined {
  const { detection } = type;
  if (detection.detector !== "reading") return undefined;
  return "ranking" in detection
    ? detection.ranking(watch.settings)
    : detection.rule(watch.settings);
}

/** Returns the ranks that the daemon remembered, as far as the rule counts them. */
function ranksBefore({ before }: FoundValues, { top }: RankingRule): RankingMemory | undefined {
  if (!("ranks" in before)) return undefined;
  const stored = before as unknown as RankingMemory;
  const ranks = Object.entries(stored.ranks).filter(([, rank]) => rank <= top);
  return { ...stored, ranks: Object.fromEntries(ranks), top };
}
