/**
 * What a group under freshness saves by probes that come free in the requests of others: a forecast, to the first order. Pure; who is piggybacked on
 * which request is the engine's to choose.
 */
import type { ScheduledProbes } from "../probing/shared-probes.ts";
import { BATCH_SIZE } from "../../model/batch.ts";
import type { ProbeRounds } from "../probing/probe-choice.ts";
import type { LearnedPace } from "./pacing/group-algorithms.ts";
import type { ProbeAlgorithm } from "./pacing/group-pace.ts";

/** Free probes of the members of a group. */
export interface Help {
  readonly perDay: number;
  /** The share of the members that is probed each time. */
  readonly covered: number;
}

export interface PiggybackedProbes {
  /** The most that others bring; undefined where nobody does. */
  helpFor(userIds: readonly string[]): Help | undefined;
  /** They are piggybacked from now on, and `perDay` requests of their own are sent. */
  join(userIds: readonly string[], perDay: number): void;
}

export function createPiggybackedProbes(scheduled: readonly ScheduledProbes[]): PiggybackedProbes {
  const all = scheduled.map(({ perDay, userIds }) => ({ perDay, userIds: new Set(userIds) }));
  const coveredBy = ({ userIds: asked }: ScheduledProbes, userIds: readonly string[]): number => {
    const others = userIds.filter((id) => !asked.has(id)).length;
    const places = Math.ceil(asked.size / BATCH_SIZE) * BATCH_SIZE - asked.size;
    return userIds.length - others + Math.min(others, places);
  };
  return {
    helpFor(userIds) {
      const helps = all.map((probes) => ({ perDay: probes.perDay, covered: coveredBy(probes, userIds) / userIds.length }));
      const [first, ...rest] = helps.filter(({ covered }) => covered > 0);
      return first === undefined ? undefined : rest.reduce((best, one) => (freeProbesOf(one) > freeProbesOf(best) ? one : best), first);
    },
    join(userIds, perDay) {
      for (const probes of all) for (const id of userIds.slice(0, coveredBy(probes, userIds))) probes.userIds.add(id);
      if (perDay > 0) all.push({ perDay, userIds: new Set(userIds) });
    },
  };
}

const freeProbesOf = ({ perDay, covered }: Help): number => perDay * covered;

/** Free probes come when others want them, and often to the same few: of many accounts, one is worth so much of a probe in its turn, or a fifth more or less. */
const AS_GOOD = 0.7;

/** The rounds that are still needed. */
export function roundsBeside(rounds: ProbeRounds, accounts: number, algorithm: ProbeAlgorithm<LearnedPace>, help: Help): ProbeRounds {
  const { times, probesEach } = rounds;
  const { perDay, covered } = help;
  const freeProbes = (perDay * covered * accounts) / BATCH_SIZE;
  if (!algorithm.isEven(accounts)) return { times: Math.max(0, times - (AS_GOOD * freeProbes) / probesEach), probesEach };
  const own = perDay * algorithm.ownRounds(times / perDay);
  return { times: times - covered * (times - own), probesEach };
}
