/**
 * Edits in the state: what is wanted while one is under way, after one was given up, and when its
 * message is sent again.
 */
import { describe, expect, it } from "vitest";
import type { EditResult, ShownTweet } from "../../../src/model/edit.ts";
import { makeEvent, makeTweet } from "../../support/make-event.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../temp-state.ts";

const MINUTE = 60_000;
const shownAs = (text: string): ShownTweet => ({
  tweet: makeTweet("7", text),
  isGone: false,
  isEdited: true,
});

async function setUp() {
  const store = await openTemp(memoryStatePath());
  const event = makeEvent("7");
  const delivery = {
    eventId: event.id,
    sink: "chat",
    groupKey: event.id,
    groupWaitMs: 0,
    groupIntervalMs: 0,
    notBeforeMs: T0,
  };
  await store.commitPoll({
    atMs: T0,
    targets: [],
    verdicts: [],
    events: [event],
    deliveries: [delivery],
  });
  let deliveryId = "";
  const sealAndSend = async (id: string, atMs: number) => {
    const [group] = (
      await store.dueWork({ nowMs: atMs, sinks: ["chat"], busy: new Set(), limit: 9 })
    ).groups;
    deliveryId = group?.members[0]?.deliveryId ?? "";
    const message = {
      sink: "chat",
      groupKey: event.id,
      sealedAtMs: atMs,
      body: { from: id },
      throttleKey: null,
    };
    await store.seal([{ id, ...message, deliveryIds: [deliveryId] }]);
    await store.record([{ messageId: id, kind: "sent", atMs, ref: `ref ${id}` }]);
  };
  await sealAndSend("m1", T0);
  return {
    store,
    sealAndSend,
    want: (text: string, atMs: number) => {
      const edit = {
        deliveryId,
        shown: shownAs(text),
        versions: [],
        wantedAtMs: atMs,
        dueAtMs: atMs,
      };
      return store.commitPoll({
        atMs,
        targets: [],
        verdicts: [],
        events: [],
        deliveries: [],
        edits: [edit],
      });
    },
    due: async (atMs: number) => {
      const due = await store.dueEdit("chat", atMs);
      return due ?? expect.fail("no edit is due");
    },
    replay: (atMs: number) =>
      store.replay({ deliveryIds: [deliveryId], added: [], atMs, detail: { by: "alice" } }),
  };
}

const edited = (atMs: number, isSent = true): EditResult => ({
  kind: "edited",
  atMs,
  nextAtMs: atMs + MINUTE,
  body: { text: "edited" },
  isSent,
});
const retry = (atMs: number): EditResult => ({
  kind: "retry",
  nextAtMs: atMs + MINUTE,
  error: "503",
});
const dropped = (atMs: number): EditResult => ({
  kind: "dropped",
  atMs,
  error: "503",
  isFinal: false,
});
const ENDS = {
  edited: edited(T0 + 5),
  "as it was": edited(T0 + 5, false),
  retry: retry(T0 + 5),
  dropped: dropped(T0 + 5),
};

describe.each(Object.entries(ENDS))("an edit that ended so: %s", (how, end) => {
  it("leaves what was wanted meanwhile due, and nothing else", async () => {
    for (const isWantedMeanwhile of [false, true]) {
      const { store, want, due } = await setUp();
      await want("first", T0 + 1);
      const first = await due(T0 + 1);
      if (isWantedMeanwhile) await want("second", T0 + 3);
      await store.recordEdit(first, end);
      const next = await store.dueEdit("chat", T0 + 2 * MINUTE);
      const left = isWantedMeanwhile ? "second" : how === "retry" ? "first" : undefined;
      expect(next?.shown.tweet.full_text).toBe(left);
    }
  });

  it("is followed by the next with all of its attempts, but where it is tried again", async () => {
    const { store, want, due } = await setUp();
    await want("first", T0 + 1);
    await store.recordEdit(await due(T0 + 1), retry(T0 + 2));
    await store.recordEdit(await due(T0 + 2 * MINUTE), end);
    await want("second", T0 + 10 * MINUTE);
    expect((await due(T0 + 20 * MINUTE)).attempts).toBe(how === "retry" ? 2 : 0);
  });

  it("is made again for its message when that is sent again, to what the new message says", async () => {
    const { store, want, due, replay, sealAndSend } = await setUp();
    await want("first", T0 + 1);
    await store.recordEdit(await due(T0 + 1), end);
    expect(await replay(T0 + 10 * MINUTE)).toBe(1);
    expect(await store.nextEditAt("chat")).toBeNull();
    await sealAndSend("m2", T0 + 11 * MINUTE);
    expect(await due(T0 + 12 * MINUTE)).toMatchObject({
      ...{ messageId: "m2", ref: "ref m2", attempts: 0, body: { from: "m2" } },
      shown: { tweet: { full_text: "first" } },
    });
  });
});
