/** Returns when the service had faults, and how a fault moves its clock. */
import type { Scenario, Step } from "../draw/scenario.ts";
import type { Played } from "../run/simulate.ts";

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A fault, and how long it lasted: until its own end, or until all faults were ended. */
export interface ServiceFault extends Span {
  readonly name: string;
  readonly handle?: string | undefined;
}

export const covers = ({ fromMs, toMs }: Span, atMs: number): boolean =>
  fromMs <= atMs && toMs > atMs;

/** The faults of each scenario, because the checks ask for them several times for every post. */
const known = new WeakMap<Scenario, readonly ServiceFault[]>();

export function serviceFaults({ scenario }: Played): readonly ServiceFault[] {
  const faults = known.get(scenario) ?? readFaults(scenario);
  known.set(scenario, faults);
  return faults;
}

function readFaults({ startMs, steps }: Scenario): readonly ServiceFault[] {
  const endMs = ({ atMs, forMs }: Step & { readonly do: "service fault" }) =>
    Math.min(
      atMs + (forMs ?? Number.POSITIVE_INFINITY),
      steps.find((other) => other.do === "service heals" && other.atMs >= atMs)?.atMs ??
        Number.POSITIVE_INFINITY,
    );
  return steps.flatMap((step) =>
    step.do === "service fault"
      ? [
          {
            ...{ name: step.name, handle: step.handle },
            ...{ fromMs: startMs + step.atMs, toMs: startMs + endMs(step) },
          },
        ]
      : [],
  );
}

/** How far `clock_ahead` moves the service's clock ahead. */
export const AHEAD_MS = 5 * 60 * 60_000;

/** Returns the times at which the service's clock was ahead. */
export const clockAhead = (played: Played): readonly Span[] =>
  serviceFaults(played).filter(({ name }) => name === "clock_ahead");

/**
 * Returns how far `clock_ahead` has moved the service's clock ahead. Other faults divide posts
 * into earlier and later ones by that clock, and posts have the times of the world.
 */
export const serviceAheadMs = (atMs: number, played: Played): number =>
  AHEAD_MS * clockAhead(played).filter((span) => covers(span, atMs)).length;
