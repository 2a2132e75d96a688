/** The causes that are found for what the replay of the active configuration did otherwise. */
import { expect, it } from "vitest";
import type { DeliveryPath } from "../../../src/model/history.ts";
import { sentDifferences } from "../../../src/operate/backtest/sent-differences.ts";
import { EVENT_TIME_MS, makeEvent } from "../../support/make-event.ts";

const MINUTE = 60_000;
const post = makeEvent("1");
const deleted = makeEvent("1", { type: "tweet.deleted", detectedAtMs: EVENT_TIME_MS + 5 * MINUTE });

const pathAt = (changes: Partial<DeliveryPath>) =>
  ({
    ...{ sink: "hook", state: "held", detail: "", failures: [], wait: null, sentAtMs: null },
    ...{ silencedBy: null, replayedAtMs: null, joinedEventId: null, routed: null },
    ...changes,
  }) as unknown as DeliveryPath;

const SILENCED = pathAt({ state: "silenced", silencedBy: "s1" });
const DELETED = pathAt({ state: "deleted" });
const HELD = pathAt({});
const sentAfter = (minutes: number) =>
  pathAt({ state: "sent", sentAtMs: EVENT_TIME_MS + minutes * MINUTE });

/** The silence begins five minutes after the alert was found. */
async function causeOf(real: DeliveryPath, tried: DeliveryPath) {
  const records = (path: DeliveryPath) => [
    { event: post, deliveries: [path] },
    { event: deleted, deliveries: [] },
  ];
  const [difference, ...others] = await sentDifferences({
    ...{ sent: records(real), replayed: records(tried) },
    sentPathsOf: async () => [real],
    replayedPathsOf: async () => [tried],
    silencedSinceMs: new Map([["s1", EVENT_TIME_MS + 5 * MINUTE]]),
    activeSinceMs: 0,
  });
  expect(others).toEqual([]);
  return difference === undefined
    ? undefined
    : `${difference.is_explained ? "because" : "although"} ${difference.cause}`;
}

it.each([
  [sentAfter(4), SILENCED, "because it was sent before the silence began, at"],
  [sentAfter(4), DELETED, "because it was sent before its post was deleted, at"],
  [SILENCED, sentAfter(4), "because it still waited when the silence began, at"],
  [DELETED, sentAfter(4), "because it still waited when its post was deleted, at"],
  // Nothing explains what was sent in spite of the silence, or what is held in place of it.
  [sentAfter(6), SILENCED, "although the state calls it sent, and the replay silenced"],
  [DELETED, sentAfter(6), "although the state calls it deleted, and the replay sent"],
  [SILENCED, HELD, "although the state calls it silenced, and the replay held"],
])(
  "says when an alert was sent that the other side stopped, case %#",
  async (real, tried, cause) => {
    expect(await causeOf(real, tried)).toMatch(new RegExp(`^${cause}`));
  },
);

it("finds no difference between what waits and what is sent", async () => {
  expect(await causeOf(HELD, sentAfter(6))).toBeUndefined();
});
