/** The strategy of a group: chosen again every ten minutes by what is known then. */
import { passedMs } from "../../model/clock.ts";
import type { Strategy } from "../../plan/strategy.ts";

export interface ChosenStrategy<S extends Strategy = Strategy> {
  readonly strategy: S;
  readonly fullPollEveryMs: number;
  /** When these two were chosen; our clock. 0: never. */
  readonly chosenAtMs: number;
}

const CHOOSE_EVERY_MS = 600_000;

export const isTimeToChoose = ({ chosenAtMs }: { readonly chosenAtMs: number }, nowMs: number): boolean =>
  passedMs(chosenAtMs, nowMs) >= CHOOSE_EVERY_MS;

/** Undefined before the first choice. */
export const chosenStrategy = <S extends Strategy>({ strategy, chosenAtMs }: ChosenStrategy<S>): S | undefined =>
  chosenAtMs === 0 ? undefined : strategy;
