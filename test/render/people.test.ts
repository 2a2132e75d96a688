import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestPages } from "../../src/render/digest-rows.ts";
import { cardsOf, MAX_PEOPLE } from "../../src/render/people.ts";
import { countsText, kindWords } from "../../src/render/text/kind-words.ts";
import { rosterMessage } from "../../src/render/messages/roster-message.ts";
import type { OutboxEvent } from "../../src/model/sink.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { makeEvent, makeUser } from "../support/make-event.ts";

const read = (event: OutboxEvent) => rosterMessage(event, { linksHost: "https://x.com" });
const person = (
  id: string,
  followers: number,
  type = "follower.added",
  target = "acme",
): OutboxEvent => {
  const user = {
    ...makeUser(id),
    username: `u${id}`,
    display_name: `U${id}`,
    followers_count: followers,
  };
  return {
    event: makeEvent(id, {
      type,
      body: { user, target: { ...makeUser(target), username: target } },
    }),
    watches: ["fans"],
  };
};

describe("the words that events are counted by", () => {
  it("are there for every event of every watch type", () => {
    const types = WATCH_TYPES.flatMap(({ events }) => events);
    expect(types.filter((type) => kindWords(type)[1] === "alerts")).toEqual([]);
  });

  it("put the most first and know one from many", () => {
    const counts = new Map([
      ["tweet.threshold", 1],
      ["tweet.created", 1_045],
      ["profile.threshold", 1],
    ]);
    expect(countsText(counts)).toBe("1,045 posts, 2 milestones");
  });
});

describe("several accounts of one list", () => {
  it("are one sentence and a list by followers, at most twenty and how many more", () => {
    const events = Array.from({ length: 23 }, (_, n) => person(String(n), n));
    const [card, ...others] = cardsOf({ events, read });
    expect(others).toEqual([]);
    expect(card?.message.title).toBe("23 new followers of @acme");
    expect(card?.message.list?.people).toHaveLength(MAX_PEOPLE);
    expect(card?.message.list?.people[0]).toEqual({
      name: "U22 (@u22)",
      url: "https://x.com/u22",
      note: "22 followers",
    });
    expect(card?.message.list?.more).toBe(3);
  });

  it("are apart by what happened and whose list it is; a single one is worded as by itself", () => {
    const events = [
      person("1", 1),
      person("2", 2),
      person("3", 3, "follower.removed"),
      person("4", 4, "follower.added", "rival"),
    ];
    expect(cardsOf({ events, read }).map(({ message }) => message.title)).toEqual([
      "2 new followers of @acme",
      "@acme lost a follower: U3 (@u3)",
      "@rival has a new follower: U4 (@u4)",
    ]);
  });

  it("are each in one message of a digest, named or counted, whatever its limits", () => {
    const events = fc.array(
      fc.record({
        type: fc.constantFrom("follower.added", "follower.removed", "member.added"),
        target: fc.constantFrom("a", "b"),
      }),
      {
        maxLength: 70,
      },
    );
    fc.assert(
      fc.property(
        events,
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom("schedule" as const, "throttle" as const),
        (made, most, cause) => {
          const all = made.map(({ type, target }, n) => person(String(n), n, type, target));
          const section = { title: "fans", isKind: false, count: all.length, items: all };
          const digest = {
            cause,
            title: "",
            counts: new Map<string, number>(),
            sections: [section],
            unlisted: undefined,
            read,
          };
          const pages = [
            ...digestPages(digest, {
              lineOf: ({ kind }) => kind,
              costs: () => [1],
              first: [most],
              further: [most],
            }),
          ];
          const held = pages.flatMap((page) => page.events.map(({ event }) => event.subject));
          expect([...held].sort()).toEqual(all.map(({ event }) => event.subject).sort());
          for (const { lines } of pages) expect(String(lines.at(-1))).not.toMatch(/section|people/);
          for (const { lines } of pages) expect(lines.length).toBeLessThanOrEqual(most);
        },
      ),
    );
  });
});
