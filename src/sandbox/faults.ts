/**
 * The faults of the service that are switched on, by name or by number (1 to 40): which strikes a
 * request, and when each ends.
 */
import type { JsonObject } from "../model/json.ts";
import type { Answer, Call } from "./calls/call.ts";
import { FAULT_NAMES, FAULT_NUMBERS, type FaultKind, KINDS } from "./faults/kinds.ts";
import type { Lasting } from "./faults/lasting.ts";
import type { SandboxClock } from "./calls/sandbox-clock.ts";
import { badRequest } from "./calls/service-error.ts";
import type { World } from "./world/world.ts";

/** What strikes one request. */
export type Fault = Omit<FaultKind, "begin" | "lastsMs"> & { readonly name: string };

export interface FaultOrder {
  /** Name, or number as in the list of faults. */
  readonly fault: string | number;
  readonly times?: number;
  readonly for_ms?: number;
  /** Only this endpoint. */
  readonly endpoint?: string;
  /** Whom it is about, where it is about an account. */
  readonly username?: string;
  /** What new tweets say. */
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

/** An account of every seed. */
const DEFAULT_USERNAME = "acme";

export type Faults = ReturnType<typeof createFaults>;

/** The faults that are switched on, over a world they may change. */
export function createFaults(world: World, clock: SandboxClock) {
  let armed: readonly Armed[] = [];

  /**
   * Holds as long as the fault does by nature (most: for one request) unless `times` or `for_ms`
   * says otherwise. @throws ServiceError 400
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

  /** Ends what is over, and lets the rest take its course. */
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
   * The fault that strikes a request to this endpoint now, if any: the first that was switched on.
   */
  function take(endpoint: string): Fault | undefined {
    const striking = armed.find((each) => each.lasting === undefined && isMeant(each, endpoint));
    if (striking !== undefined) striking.left -= 1;
    return striking?.fault;
  }

  /** The answer as the striking fault and all lasting ones leave it. */
  function spoil(fault: Fault | undefined, call: Call, answer: Answer): Answer {
    const lasting = armed
      .filter((each) => isMeant(each, call.endpoint))
      .map((each) => each.lasting?.spoil);
    return [...lasting, fault?.spoil].reduce(
      (spoiled, change) => change?.(call, spoiled) ?? spoiled,
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

  return { arm, endExpired, take, spoil, active, clear };
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
