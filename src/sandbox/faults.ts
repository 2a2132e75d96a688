/**
 * The faults that are switched on, by name or by number (1 to 40). Decides which fault a request
 * gets, and when each fault ends.
 */
import type { JsonObject } from "../model/json.ts";
import type { Answer, Call } from "./calls/call.ts";
import { FAULT_NAMES, FAULT_NUMBERS, type FaultKind, KINDS } from "./faults/kinds.ts";
import type { Lasting } from "./faults/lasting.ts";
import type { SandboxClock } from "./calls/sandbox-clock.ts";
import { badRequest } from "./calls/service-error.ts";
import type { World } from "./world/world.ts";

/** The fault that one request gets. */
export type Fault = Omit<FaultKind, "begin" | "lastsMs"> & { readonly name: string };

export interface FaultOrder {
  /** The name of a fault, or its number in the list of faults. */
  readonly fault: string | number;
  readonly times?: number;
  readonly for_ms?: number;
  /** Limits the fault to this endpoint. */
  readonly endpoint?: string;
  /** The handle of the account that the fault changes, for faults that change one. */
  readonly username?: string;
  /** The text of new tweets, for faults that add some. */
  readonly text?: string;
}

interface Armed {
  readonly name: string;
  readonly fault: Fault;
  readonly lasting: Lasting | undefined;
  readonly endpoint: string | undefined;
  readonly untilMs: number;
  left: number;
}

/** An account that every invented world has, whatever its seed. */
const DEFAULT_USERNAME = "acme";

export type Faults = ReturnType<typeof createFaults>;

/** Creates the set of faults of a sandbox. Some faults change `world`. */
export function createFaults(world: World, clock: SandboxClock) {
  let armed: readonly Armed[] = [];

  /**
   * Switches a fault on and returns its name. `times` or `for_ms` limit the fault; without them it
   * has its usual duration, which for most faults is one request. @throws ServiceError 400
   */
  function arm(order: FaultOrder): string {
    const { name, kind, lastsMs } = findFault(order);
    const lasting = kind.begin?.({
      world,
      clock,
      nowMs: clock.now(),
      lastsMs,
      username: (order.username ?? DEFAULT_USERNAME).replace(/^@/, ""),
      text: order.text ?? "Hello.",
    });
    const left =
      order.times ?? (kind.lastsMs === undefined && lastsMs === 0 ? 1 : Number.POSITIVE_INFINITY);
    const untilMs =
      lastsMs === 0 && lasting === undefined ? Number.POSITIVE_INFINITY : clock.trueNow() + lastsMs;
    armed = [
      ...armed,
      { name, fault: { name, ...kind }, lasting, endpoint: order.endpoint, untilMs, left },
    ];
    return name;
  }

  /** Ends the faults whose time is over, and lets the others change over time. */
  function endExpired(): void {
    const nowMs = clock.now();
    const over = armed.filter((each) => each.left <= 0 || clock.trueNow() >= each.untilMs);
    armed = armed.filter((each) => !over.includes(each));
    for (const each of over) each.lasting?.end?.();
    for (const each of armed) each.lasting?.tick?.(nowMs);
  }

  const isMeant = (each: Armed, endpoint: string): boolean =>
    each.endpoint === undefined || each.endpoint === endpoint;

  /**
   * Returns the fault that a request to this endpoint gets, if any: the one that was switched on
   * first. Uses up one of the fault's `times`.
   */
  function strike(endpoint: string): Fault | undefined {
    const striking = armed.find((each) => each.lasting === undefined && isMeant(each, endpoint));
    if (striking !== undefined) striking.left -= 1;
    return striking?.fault;
  }

  /**
   * Returns the answer after the lasting faults and then the request's own fault have changed it.
   */
  function change(fault: Fault | undefined, call: Call, answer: Answer): Answer {
    const lasting = armed
      .filter((each) => isMeant(each, call.endpoint))
      .map((each) => each.lasting?.change);
    return [...lasting, fault?.change].reduce(
      (changed, next) => next?.(call, changed) ?? changed,
      answer,
    );
  }

  function clear(): void {
    for (const each of armed.toReversed()) each.lasting?.end?.();
    armed = [];
  }

  const active = (): JsonObject => ({
    faults: armed.map((each) => ({ fault: each.name, endpoint: each.endpoint ?? null })),
  });

  return { arm, endExpired, strike, change, active, clear };
}

interface Found {
  readonly name: string;
  readonly kind: FaultKind;
  readonly lastsMs: number;
}

function findFault(order: FaultOrder): Found {
  const numbered = FAULT_NUMBERS[Number(order.fault)];
  const name = numbered?.name ?? String(order.fault);
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (kind === undefined)
    throw badRequest(`unknown fault ${order.fault}; known: 1 to 40, ${FAULT_NAMES.join(", ")}`);
  if (kind.begin !== undefined && order.times !== undefined)
    throw badRequest(`${name} holds for a while: give for_ms, not times`);
  return { name, kind, lastsMs: order.for_ms ?? numbered?.lastsMs ?? kind.lastsMs ?? 0 };
}
