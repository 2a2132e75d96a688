import { expect, it } from "vitest";
import { labelsOf } from "../../../src/polling/evaluate/make-event.ts";
import { makeTweet, makeUser } from "../../support/make-event.ts";
import { makeWatch } from "../../support/make-watch.ts";

const BUILT_IN = ["watch", "type", "event", "target", "author", "author_id"] as const;

it.each([
  ["no labels", {}, { severity: "info" }],
  ["a severity", { severity: "critical" }, { severity: "critical" }],
  ["labels of its own", { team: "comms" }, { severity: "info", team: "comms" }],
  [
    "names that events have",
    Object.fromEntries(BUILT_IN.map((name) => [name, "mine"])),
    { severity: "info" },
  ],
])(
  "gives an event of a watch with %s its labels and those of every event",
  (_name, labels, expected) => {
    const watch = makeWatch("w", "search", { query: "acme" }, { labels });
    const all = { ...expected, watch: "w", type: "search", target: "t" };
    const tweet = { lang: "en", kind: "post", conversation: "7", author: "alice", author_id: "7" };
    expect(
      labelsOf(
        { watch, targetName: "t" },
        { type: "tweet.created", body: { tweet: makeTweet("7") } },
      ),
    ).toEqual({
      ...{ ...all, ...tweet, event: "tweet.created" },
    });
    expect(
      labelsOf(
        { watch, targetName: "t" },
        { type: "follower.added", body: { user: makeUser("5", "bob") } },
      ),
    ).toEqual({
      ...{ ...all, event: "follower.added", author: "bob", author_id: "5" },
    });
  },
);
