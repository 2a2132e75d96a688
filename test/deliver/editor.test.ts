/** An edit mentions the people whom its message has mentioned, and nobody else. */
import { createEditPace } from "../../src/deliver/edit-pace.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Editor, type EditorDeps } from "../../src/deliver/edit.ts";
import { createSinkWaits } from "../../src/deliver/queue/sink-waits.ts";
import type { SinkQueue } from "../../src/deliver/queue/sink-queue.ts";
import type { DueEdit } from "../../src/model/edit.ts";
import type { SinkUpdates } from "../../src/model/sink.ts";
import { rememberingLog } from "../state/temp-state.ts";
import { makeEvent, makeTweet } from "../support/make-event.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const MENTIONS = ["<!here>", "<@U1>", "<!subteam^S1>"] as const;

it("keeps the mentions that stand in the message", () =>
  fc.assert(
    fc.asyncProperty(
      fc.subarray([...MENTIONS]),
      fc.subarray([...MENTIONS]),
      async (called, configured) => {
        const clock = createVirtualClock(0);
        const due = {
          ...{
            deliveryId: "1",
            revision: 1,
            messageId: "m",
            ref: "r",
            channel: null,
            alerts: 1,
            attempts: 0,
          },
          member: {
            ...{ deliveryId: "1", event: makeEvent("1"), watches: [], joined: [], isReplay: false },
          },
          shown: { tweet: makeTweet("1", "after"), isGone: false, isEdited: true },
          body: { text: [...called, "before"].join(" ") },
        } as unknown as DueEdit;
        let isDue = true;
        const sent: unknown[] = [];
        const deps = {
          ...{ clock, log: rememberingLog(), underWay: new Set() },
          store: {
            nextEditAt: async () => (isDue ? 0 : null),
            dueEdit: async () => due,
            recordEdit: async () => void (isDue = false),
          },
          meter: { count: () => undefined },
          readEvent: () => ({ title: "t" }),
          wordEvents: async (_queue: unknown, events: unknown) => events,
        } as unknown as EditorDeps;
        const queue = {
          ...{ name: "chat", health: { breaker: "closed" }, inHand: 0, waits: createSinkWaits() },
          sink: {
            mentions: configured.map((text) => ({ text })),
            render: ({ mentions = [] }: { mentions?: readonly string[] }) => ({ mentions }),
          },
        } as unknown as SinkQueue;
        const updates = {
          causes: new Set(["edited"]),
          send: async (edit: unknown) => void sent.push(edit),
        } as unknown as SinkUpdates;
        const pace = createEditPace(queue, clock);
        expect(await new Editor(deps, queue, { updates, pace }).turn()).toBe(0);
        expect(sent).toMatchObject([
          { ref: "r", body: { mentions: configured.filter((text) => called.includes(text)) } },
        ]);
      },
    ),
    { numRuns: 40 },
  ));
