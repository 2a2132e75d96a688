import { expect, it } from "vitest";
import { createFindEdits } from "../../../src/deliver/find-edits.ts";
import { sightsOf } from "../../../src/polling/run/tweet-sights.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { makeEvent, makeTweet } from "../../support/make-event.ts";

it("takes a tweet for gone that one answer shows and says to be gone, whatever the order of the causes", async () => {
  const alert = {
    ...{
      deliveryId: "1",
      sink: "chat",
      shown: { tweet: makeTweet("7", "before"), isGone: false, isEdited: false },
      versions: [],
    },
    ...{ wantedAtMs: null, dueAtMs: null },
  };
  const findEdits = createFindEdits({
    store: { editableAlerts: async () => [alert] },
    hash: sha256,
    clock: { now: () => 0, monotonic: () => 0, after: () => () => undefined },
    causes: () => new Map([["chat", new Set(["edited", "deleted"] as const)]]),
  });
  const gone = { event: makeEvent("7", { type: "tweet.deleted" }), ownSinks: [] };
  const other = { event: makeEvent("8", { type: "tweet.created" }), ownSinks: [] };
  expect(await findEdits(sightsOf([makeTweet("7", "after")], [other, gone]))).toMatchObject([
    { shown: { isGone: true } },
  ]);
  expect(await findEdits(sightsOf([makeTweet("7", "after")], [other]))).toMatchObject([
    { shown: { isGone: false, isEdited: true } },
  ]);
});
