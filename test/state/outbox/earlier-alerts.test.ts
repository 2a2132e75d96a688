/** How many earlier alerts a new one is compared with, if a poll finds many subjects at once. */
import { expect, test } from "vitest";
import type { AlertSubject, NewDelivery } from "../../../src/model/poll-store.ts";
import { makeEvent } from "../../support/make-event.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../temp-state.ts";

/** Commits alerts about so many subjects, and returns how often their subjects are read. */
async function readsOf(subjects: number): Promise<number> {
  let reads = 0;
  const store = await openTemp(memoryStatePath());
  const events = Array.from({ length: subjects }, (_, at) => makeEvent(`follower${at}`));
  const deliveries = events.map(({ id, watchKey, subject }): NewDelivery => {
    const about: AlertSubject = {
      watchKey,
      get subject() {
        reads += 1;
        return subject;
      },
    };
    const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0 };
    return { eventId: id, sink: "hook", groupKey: id, ...timing, about };
  });
  await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events, deliveries });
  return reads;
}

test("an alert is compared with earlier ones on its own subject, not with all of its poll", async () => {
  const few = await readsOf(10);
  expect(few).toBeGreaterThan(0);
  expect(await readsOf(200)).toBe(20 * few);
});
