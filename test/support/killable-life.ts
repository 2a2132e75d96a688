/**
 * A daemon of a test that can be killed between any two calls to its state and the network. Nothing
 * that belongs to it answers, fires or writes any more. What it had open is closed as the system
 * does, so that another one can begin on the same state.
 */
import type { Adapters } from "../../src/app/daemon/daemon-deps.ts";
import type { Clock } from "../../src/model/clock.ts";
import type { Http } from "../../src/model/http.ts";
import { createKillSwitch } from "./kill-switch.ts";

export interface KillableLife {
  readonly isOver: boolean;
  /** Ends it after this many more steps. A call and its answer are one each. */
  endAfter(steps: number): void;
  /** Closes what it had open, once operations in the state that have begun are done. */
  release(): Promise<void>;
  clock(clock: Clock): Clock;
  http(http: Http): Http;
  adapters(adapters: Adapters): Adapters;
}

export function createKillableLife(): KillableLife {
  const life = createKillSwitch();
  const servers: { close(): Promise<unknown> }[] = [];
  const stores: { close(): Promise<unknown> }[] = [];
  const underWay = new Set<Promise<unknown>>();
  const noted = <T extends { close(): Promise<unknown> }>(one: T, among: typeof servers): T => {
    among.push(one);
    return one;
  };
  /** Transactions that have begun end by themselves, whoever waits for them. */
  const watched = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          const answer: unknown = value.apply(target, args);
          if (answer instanceof Promise) {
            const over: Promise<unknown> = answer.then(
              () => underWay.delete(over),
              () => underWay.delete(over),
            );
            underWay.add(over);
          }
          return answer;
        };
      },
    });
  return {
    get isOver() {
      return life.isKilled;
    },
    endAfter: (steps) => (steps === 0 ? life.kill() : life.killAfter(steps)),
    async release() {
      // A server waits for its clients on a clock that stands still. It accepts no new ones
      // meanwhile.
      for (const one of servers) void one.close().catch(() => undefined);
      await Promise.all(underWay);
      for (const one of stores) await one.close();
    },
    clock: (clock) => life.killableClock(clock),
    http: (http) => life.killable(http),
    adapters: (adapters) => ({
      ...adapters,
      openStore: async (asked) =>
        life.killable(watched(noted(await adapters.openStore(asked), stores))),
      startControl: async (...args) => noted(await adapters.startControl(...args), servers),
      startServer: async (...args) => noted(await adapters.startServer(...args), servers),
    }),
  };
}
