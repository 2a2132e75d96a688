/** Since when a watch was away, whatever was done to it meanwhile and in whatever order. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Absence, WatchRegistration } from "../../../src/model/watch-store.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../temp-state.ts";

const MINUTE = 60_000;
const ACTIONS = ["pause", "resume", "disable", "enable", "remove", "put back", "rename"] as const;

interface Step {
  readonly action: (typeof ACTIONS)[number];
  readonly minutes: number;
}

/** Two ways to be away at once, which begin and end in any order. They are played in every run. */
const WAYS = [
  ["pause", "resume"],
  ["disable", "enable"],
  ["remove", "put back"],
] as const;
const OVERLAPPING = WAYS.flatMap((one) =>
  WAYS.filter((other) => other !== one).flatMap((other) => [
    [one[0], other[0], one[1], other[1]],
    [one[0], other[0], other[1], one[1]],
  ]),
);

/** Model: it is polled while it is configured, enabled and not paused. */
it("counts from when it was polled last, and its targets remember it once it is polled again", async () => {
  const sequences = fc.array(
    fc.record({ action: fc.constantFrom(...ACTIONS), minutes: fc.integer({ min: 1, max: 90 }) }),
    {
      maxLength: 9,
    },
  );
  await fc.assert(
    fc.asyncProperty(sequences, async (steps) => {
      const store = await openTemp(memoryStatePath());
      let now = T0;
      let [name, former] = ["w0", undefined as string | undefined];
      const model = {
        isPaused: false,
        isEnabled: true,
        isThere: true,
        awaySinceMs: undefined as number | undefined,
      };
      const other: WatchRegistration = {
        id: "other",
        type: "search",
        targets: [{ key: "t", name: "t" }],
      };
      const register = async () => {
        const own = {
          id: name,
          type: "search",
          enabled: model.isEnabled,
          targets: [{ key: "t", name: "t" }],
        };
        const renamed = former === undefined ? own : { ...own, movedFrom: former };
        return (await store.registerWatches(model.isThere ? [renamed, other] : [other], now)).find(
          ({ id }) => id === name,
        );
      };
      const key = (await register())?.key ?? "";
      // It has read something: what was never read has nothing to make up for.
      const [first] = await store.loadTargets([{ watchKey: key, targetKey: "t" }]);
      const change = {
        watchKey: key,
        targetKey: "t",
        expectedRevision: first?.revision ?? 0,
        baselineAtMs: T0,
        memory: { birth: "1" },
      };
      await store.commitPoll({
        atMs: now,
        targets: [change],
        verdicts: [],
        events: [],
        deliveries: [],
      });
      for (const { action, minutes } of steps) {
        now += minutes * MINUTE;
        const wasPolled = model.isThere && model.isEnabled && !model.isPaused;
        if (action === "pause" || action === "resume") {
          if (!model.isThere) continue;
          await store.setPaused(name, action === "pause", { atMs: now });
          model.isPaused = action === "pause";
        } else {
          if (action === "disable" || action === "enable") model.isEnabled = action === "enable";
          if (action === "remove" || action === "put back") model.isThere = action === "put back";
          if (action === "rename" && model.isThere) [former, name] = [name, `${name}x`];
          const state = await register();
          if (model.isThere) expect(state?.key).toBe(key);
        }
        const isPolled = model.isThere && model.isEnabled && !model.isPaused;
        if (wasPolled && !isPolled) model.awaySinceMs = now;
        if (wasPolled || !isPolled) continue;
        const [target] = await store.loadTargets([{ watchKey: key, targetKey: "t" }]);
        expect(target?.memory["away"] as Absence | undefined).toMatchObject({
          from_ms: model.awaySinceMs,
          to_ms: now,
        });
        expect(target?.memory["resume_ms"]).toBe(model.awaySinceMs);
        // What was missed has been read.
        const done = {
          ...target?.memory,
          away: { ...(target?.memory["away"] as object), done: true },
        };
        const { resume_ms: _, ...read } = done as Record<string, unknown>;
        const revised = {
          watchKey: key,
          targetKey: "t",
          expectedRevision: target?.revision ?? 0,
          memory: read as never,
        };
        await store.commitPoll({
          atMs: now,
          targets: [revised],
          verdicts: [],
          events: [],
          deliveries: [],
        });
      }
    }),
    {
      numRuns: OVERLAPPING.length + 25,
      examples: OVERLAPPING.map((actions): [Step[]] => [
        actions.map((action) => ({ action, minutes: 10 })),
      ]),
    },
  );
});

it("of a target that was taken out before its watch was paused, counts from when it was taken out", async () => {
  const store = await openTemp(memoryStatePath());
  const register = (names: readonly string[], nowMs: number) =>
    store.registerWatches(
      [{ id: "w", type: "timeline", targets: names.map((name) => ({ key: name, name })) }],
      nowMs,
    );
  const [watch] = await register(["a", "b"], T0);
  const watchKey = watch?.key ?? "";
  const targets = ["a", "b"].map((targetKey) => ({
    watchKey,
    targetKey,
    expectedRevision: 0,
    baselineAtMs: T0,
    memory: { birth: "1" },
  }));
  await store.commitPoll({ atMs: T0, targets, verdicts: [], events: [], deliveries: [] });
  await register(["a"], T0 + 10 * MINUTE);
  await store.setPaused("w", true, { atMs: T0 + 20 * MINUTE });
  await register(["a", "b"], T0 + 30 * MINUTE);
  await store.setPaused("w", false, { atMs: T0 + 40 * MINUTE });
  const awayOf = async (targetKey: string) =>
    (await store.loadTargets([{ watchKey, targetKey }]))[0]?.memory["away"];
  expect(await awayOf("a")).toMatchObject({ from_ms: T0 + 20 * MINUTE, to_ms: T0 + 40 * MINUTE });
  expect(await awayOf("b")).toMatchObject({ to_ms: T0 + 40 * MINUTE });
});
