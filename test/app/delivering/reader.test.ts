/**
 * Tests which wording an event gets: that of its watch type, that of a volume event, or a plain
 * one.
 */
import { expect, it } from "vitest";
import { createReader } from "../../../src/operate/create-reader.ts";
import { makeEvent, makeTweet } from "../../support/make-event.ts";

const read = createReader("https://links.example");
const body = { tweet: makeTweet("7") };

it("reads an event as its watch type does, with the links of the configuration", () => {
  const message = read({ event: makeEvent("7", { watchType: "search", body }), watches: ["w"] });
  expect(JSON.stringify(message)).toContain("https://links.example/");
  expect(message.body).toContain("tweet 7");
});

it("reads a volume in its own words, whatever the watch type", () => {
  const event = makeEvent("w", {
    watchType: "search",
    type: "volume.spike",
    watch: "w",
    body: { volume: { count: 9, window: "1h" } },
  });
  expect(read({ event, watches: ["w"] }).title).toContain("9 alerts within 1h");
});

it("reads an event of a watch type that this release does not know plainly", () => {
  const event = makeEvent("7", { watchType: "telepathy", type: "thought.read", body });
  expect(read({ event, watches: ["w"] })).toMatchObject({ title: "thought.read", body: "" });
});
