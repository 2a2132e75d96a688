/**
 * Tests the link to the page where people act on alerts: in every sink, for one alert, several and
 * lists, and within the vendors' limits.
 */
import { describe, expect, it } from "vitest";
import type { ActAt, OutboxEvent } from "../../src/model/sink.ts";
import { consoleSink } from "../../src/sinks/console.ts";
import { renderDiscord } from "../../src/sinks/discord/discord-render.ts";
import { eventDocument, eventLines } from "../../src/sinks/kind/event-json.ts";
import type { SinkDeps } from "../../src/sinks/kind/sink-type.ts";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import { makeEvent } from "../support/make-event.ts";
import { listOf, tweetBatch } from "./chat-batch.ts";
import { type ChatLayout, expectSafe, LAYOUTS } from "./chat-layouts.ts";
import { DIGEST_LAYOUTS } from "./digest-layouts.ts";

const PAGE = "https://ops.example.com/chirp/alerts/";
const SEARCH = `https://ops.example.com/chirp/events?since=${"x".repeat(120)}`;
/** Returns the end of an event's id. */
const idOf = ({ event }: OutboxEvent): string => event.subject.slice(-16).padStart(16, "0");
const actAt: ActAt = (events) =>
  events[0] === undefined || events.length > 1 ? SEARCH : `${PAGE}${idOf(events[0])}`;
const LONG = "A &<word> of *some* length. ".repeat(160);

const CONSOLE: ChatLayout = {
  ...{ name: "the terminal", most: 5, live: /\0/, own: /\0/g },
  ...{ render: (batch) => batch, refusal: () => undefined, seen: () => "" },
};

async function written(batch: ReturnType<typeof tweetBatch>): Promise<string> {
  const texts: string[] = [];
  const deps = { write: async (text: string) => void texts.push(text) };
  const sink = await consoleSink.create("s", {}, deps as unknown as SinkDeps);
  const body = sink.render(batch);
  await sink.send(
    { id: "m", sink: "s", groupKey: "g", sealedAtMs: 0, body },
    AbortSignal.timeout(1_000),
  );
  return texts.join("");
}

describe.each([...LAYOUTS, CONSOLE])("in $name", (layout) => {
  const seenIn = async (batch: ReturnType<typeof tweetBatch>): Promise<string> => {
    if (layout === CONSOLE) return written(batch);
    const body = layout.render(batch);
    expectSafe(layout, body);
    return layout.seen(body as never);
  };

  it("each alert links to its page, also where there is little room", async () => {
    for (const count of new Set([1, 2, layout.most]))
      for (const text of ["news", LONG]) {
        const tweets = Array.from({ length: count }, () => ({ full_text: text }));
        const batch = tweetBatch(tweets, { actAt });
        const seen = await seenIn(batch);
        for (const one of batch.events) expect(seen).toContain(`${PAGE}${idOf(one)}`);
      }
  });

  it("accounts that share a card link to the search, and nothing links without the setting", async () => {
    const people = ["1", "2"].map((id) => ({
      event: makeEvent(`7/${id}`, {
        ...{ type: "follower.added", watchType: "new_followers" },
        labels: { target: "7" },
      }),
      watches: ["fans"],
    }));
    expect(await seenIn(tweetBatch([], { events: people, actAt }))).toContain(SEARCH);
    expect(await seenIn(tweetBatch([{}]))).not.toContain("ops.example.com");
  });
});

it("Discord has the link in a message of links alone, without a preview", () => {
  const { content } = renderDiscord(tweetBatch([{}], { actAt }), { style: "link" });
  expect(content).toContain(`[Act on it](<${PAGE}`);
});

describe.each(DIGEST_LAYOUTS)("a list in $name", ({ render, refusal, ways }) => {
  it("links to the search in its first message only", () => {
    const { events, read } = tweetBatch(Array.from({ length: 600 }, () => ({ full_text: "news" })));
    const unlisted = { count: 3, where: "https://ops.example.com/chirp/events?state=summarised" };
    for (const more of [{}, { unlisted }]) {
      const parts = render({ ...listOf(events), ...more, actionsUrl: SEARCH, read });
      expect(parts.length).toBeGreaterThan(1);
      for (const [index, { body }] of parts.entries()) {
        expect(refusal(body as never)).toBeUndefined();
        for (const way of ways(body as never))
          expect(way.includes(SEARCH.replaceAll("&", "&amp;"))).toBe(index === 0);
      }
    }
  });
});

it("the terminal's lists link to the search", async () => {
  const { events, read } = tweetBatch([{}, {}]);
  const sink = await consoleSink.create("s", {}, {} as SinkDeps);
  const [part] = sink.lists?.render({ ...listOf(events), actionsUrl: SEARCH, read }) ?? [];
  expect(JSON.stringify(part?.body)).toContain(`Act on these alerts: ${SEARCH}`);
});

it("programs get the address with each alert", () => {
  const one = tweetBatch([{}], { actAt });
  expect(JSON.parse(eventDocument(one)).data.actions_url).toMatch(PAGE);
  const two = tweetBatch([{}, {}], { actAt });
  const addresses = two.events.map((event) => `${PAGE}${idOf(event)}`);
  const { events } = JSON.parse(eventDocument(two)).data;
  expect(events.map((data: { actions_url: string }) => data.actions_url)).toEqual(addresses);
  const lines = eventLines(two).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).data.actions_url)).toEqual(addresses);
  expect(eventDocument(tweetBatch([{}]))).not.toContain("actions_url");
});

it("no sink type is left out", () => {
  const tried = ["apprise", "chat_webhook", "console", "discord", "email", "exec", "file", "slack"];
  expect(SINK_TYPES.map(({ type }) => type).toSorted()).toEqual([
    ...tried,
    ...["teams", "telegram", "webhook"],
  ]);
});
