/** Tests which target belongs to which subscriber of a poll when some of them are gone. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { TargetRef, TargetState } from "../../../src/model/watch-store.ts";
import { loadSubscribers } from "../../../src/polling/evaluate/load-subscribers.ts";
import type { Poll } from "../../../src/polling/watch-poll.ts";

it("gives every subscriber its own target, and leaves out those whose target is gone, or off the list that it is read through", async () => {
  const subscribers = fc.array(fc.constantFrom("there", "gone", "off the list"), {
    minLength: 1,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(subscribers, async (fates) => {
      const all = fates.map((fate, index) => ({
        watchKey: `w${index}`,
        targetKey: "t",
        fate,
        ...(fate === "off the list" && { author: "7" }),
      }));
      const store = {
        // The store leaves out whatever is gone.
        loadTargets: async (refs: readonly TargetRef[]) =>
          refs.flatMap(({ watchKey, targetKey: key }) => {
            const fate = all.find((one) => one.watchKey === watchKey)?.fate;
            return fate === "gone"
              ? []
              : [
                  {
                    watchKey,
                    key,
                    memory: fate === "off the list" ? { list: "out" } : {},
                  } as TargetState,
                ];
          }),
      };
      const { poll, readers } = await loadSubscribers(store, {
        key: "p",
        subscribers: all,
      } as unknown as Poll);
      const there = all.filter(({ fate }) => fate === "there").map(({ watchKey }) => watchKey);
      expect(
        readers.map(({ subscriber, target }) => [subscriber.watchKey, target.watchKey]),
      ).toEqual(there.map((key) => [key, key]));
      expect(poll.subscribers.map(({ watchKey }) => watchKey)).toEqual(there);
    }),
  );
});
