/**
 * A table of all actions: what each one changes and in which order, so that no replica goes on with
 * outdated knowledge.
 */
import { expect, it } from "vitest";
import { createActions } from "../../src/operate/actions/actions.ts";
import { createDaemonEffects, type DaemonEffectsDeps } from "../../src/app/daemon-effects.ts";
import type { Actions } from "../../src/server/contract/actions.ts";
import { goodConfig } from "../config/load-text.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../state/temp-state.ts";
import { makeEvent } from "../support/make-event.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const by = "alice";

/**
 * The calls that each action makes, in order. Commits and acknowledged dead letters are announced
 * by no action, since other replicas read them from the state.
 */
const TABLE: Readonly<
  Record<
    keyof Actions,
    readonly (readonly [(actions: Actions) => Promise<unknown>, readonly string[]])[]
  >
> = {
  reload: [[(actions) => actions.reload("test"), ["signal reload", "reload"]]],
  setPaused: [
    [
      ({ setPaused }) => setPaused("w", true, { isFromNow: false, by }),
      ["store.setPaused", "watchesChanged w", "announce w"],
    ],
    [
      ({ setPaused }) => setPaused("w", false, { isFromNow: false, by }),
      ["store.setPaused", "tryAtOnce", "watchesChanged w", "announce w"],
    ],
    [({ setPaused }) => setPaused("nobody", true, { isFromNow: false, by }), ["store.setPaused"]],
  ],
  resumeSink: [[({ resumeSink }) => resumeSink("hook"), ["pump.resume", "announce"]]],
  acknowledgeDead: [
    [({ acknowledgeDead }) => acknowledgeDead(undefined), ["store.acknowledgeDead"]],
  ],
  resendDead: [
    [
      ({ resendDead }) => resendDead({ sink: undefined, by }),
      ["store.resendDead", "pump.probe", "announce"],
    ],
  ],
  replay: [
    [
      ({ replay }) => replay({ what: { sinceMs: T0 }, sink: undefined, by }),
      ["store.replay", "pump.probe", "announce"],
    ],
  ],
  backfill: [[({ backfill }) => backfill({ watchId: "nobody", sinceMs: T0, by }), []]],
  acknowledge: [
    [
      ({ acknowledge }) =>
        acknowledge({ what: "e-brand-tweet.created-1", isUndo: false, by, from: "API" }),
      ["store.mark", "committed", "marked", "pump.wake", "announce"],
    ],
    [
      ({ acknowledge }) =>
        acknowledge({ what: "e-brand-tweet.created-1", isUndo: false, by, from: "API" }),
      ["store.mark"],
    ],
    [
      ({ acknowledge }) => acknowledge({ what: "gone", isUndo: false, by, from: "API" }),
      ["store.mark"],
    ],
  ],
  markNotRelevant: [
    [
      ({ markNotRelevant }) =>
        markNotRelevant({ what: "e-brand-tweet.created-1", isUndo: false, by, from: "API" }),
      ["store.mark"],
    ],
  ],
  snooze: [
    [
      ({ snooze }) => snooze({ what: "e-brand-tweet.created-1", length: "1h", by, from: "API" }),
      ["store.holdBack", "silences.load", "announce"],
    ],
    [
      ({ snooze }) => snooze({ what: "e-brand-tweet.created-1", length: "1h", by, from: "API" }),
      ["store.holdBack"],
    ],
    [({ snooze }) => snooze({ what: "gone", length: "1h", by, from: "API" }), []],
  ],
  muteAuthor: [
    [
      ({ muteAuthor }) => muteAuthor({ what: "e-brand-tweet.created-1", by, from: "API" }),
      ["store.holdBack", "silences.load", "announce"],
    ],
    [
      ({ muteAuthor }) =>
        muteAuthor({ what: "e-brand-tweet.created-1", length: "x", by, from: "API" }),
      [],
    ],
  ],
  addSilence: [
    [
      ({ addSilence }) =>
        addSilence({ matchers: ['watch="w"'], duration: "1h", comment: "c", author: by }),
      ["store.addSilence", "silences.load", "announce"],
    ],
    [
      ({ addSilence }) =>
        addSilence({ matchers: ["watch"], duration: "1h", comment: "c", author: by }),
      [],
    ],
  ],
  expireSilence: [
    [
      ({ expireSilence }) => expireSilence("1"),
      ["store.expireSilence", "silences.load", "announce"],
    ],
  ],
  resendSilenced: [
    [
      ({ resendSilenced }) => resendSilenced({ sink: undefined, silenceId: undefined, by }),
      ["store.resendSilenced", "pump.probe", "announce"],
    ],
  ],
};

const CHANGES =
  /^(setPaused|acknowledgeDead|resendDead|replay|addSilence|expireSilence|resendSilenced|mark|holdBack|commitPoll)$/;

it.each(Object.keys(TABLE) as (keyof Actions)[])(
  "%s: what it changes is in the state before the others are asked to read it",
  async (name) => {
    const done: string[] = [];
    const opened = await openTemp(memoryStatePath());
    await opened.registerWatches(
      [{ id: "w", type: "search", targets: [{ key: "t", name: "t" }] }],
      T0,
    );
    await opened.commitPoll({
      atMs: T0,
      targets: [],
      verdicts: [],
      events: [makeEvent("1")],
      deliveries: [
        {
          ...{ eventId: makeEvent("1").id, sink: "hook", groupKey: makeEvent("1").id },
          ...{ groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0 },
        },
      ],
    });
    const store = new Proxy(opened, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof key !== "string" || typeof value !== "function" || !CHANGES.test(key))
          return value;
        return async (...given: unknown[]) => {
          const result: unknown = await value.apply(target, given);
          done.push(`store.${key}`);
          return result;
        };
      },
    });
    const config = await goodConfig(
      JSON.stringify({
        watches: { w: { type: "search", query: "acme", sink: "hook" } },
        sinks: { hook: { type: "console" } },
        ...{ ops: { sink: "hook" }, api: { key: "k" } },
      }),
    );
    const note =
      <T>(text: (...given: any[]) => string, result?: T) =>
      async (...given: unknown[]) => {
        done.push(text(...given));
        return result;
      };
    const effects = createDaemonEffects({
      store: {
        signals: { send: note((signal) => `signal ${signal}`) },
        connectedReplicas: async () => [],
      },
      share: {
        isAlone: false,
        announce: note((watches: readonly string[]) => ["announce", ...watches].join(" ")),
      },
      silences: { load: note(() => "silences.load") },
      engine: {
        polls: [],
        watchesChanged: note((watches: readonly string[]) => `watchesChanged ${watches.join()}`),
      },
      service: { tryAtOnce: () => void done.push("tryAtOnce") },
      route: () => ({ event: makeEvent("1"), deliveries: [] }),
      reloader: { reload: note(() => "reload", { ok: true, changed: false, memory: [] }) },
      pump: () => ({
        wake: () => void done.push("pump.wake"),
        probe: () => void done.push("pump.probe"),
        resume: note(() => "pump.resume", { wasDisabled: false }),
      }),
      onCommitted: () => void done.push("committed"),
      onMarked: () => void done.push("marked"),
    } as unknown as DaemonEffectsDeps);
    const actions = createActions({
      store,
      clock: createVirtualClock(T0),
      hash: (text: string) => text,
      config: () => config,
      effects,
    });
    for (const [act, expected] of TABLE[name]) {
      done.length = 0;
      await act(actions);
      expect(done).toEqual(expected);
    }
  },
);
