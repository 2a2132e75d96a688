/**
 * Tests several alerts in one Discord message: each is a card of its own, and together they stay
 * within Discord's limits.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { NeutralMessage } from "../../src/model/message.ts";
import { renderDiscord } from "../../src/sinks/discord/discord-render.ts";
import { tweetBatch } from "./chat-batch.ts";

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const TOTAL = 6_000;
const GALLERY = 4;

const cards = fc.array(
  fc.record({
    place: fc.constantFrom("https://x.com/a", "https://x.com/b", undefined),
    chars: fc.constantFrom(0, 10, 700, 3_000, 10_000),
    pictures: fc.integer({ min: 0, max: 5 }),
  }),
  { minLength: 2, maxLength: 10 },
);

it("has a card for each alert, also where two are about one page, the second like the tenth", () => {
  fc.assert(
    fc.property(cards, (wanted) => {
      const batch = tweetBatch(wanted.map(() => ({})));
      const messages = new Map(
        batch.events.map((event, index): [typeof event, NeutralMessage] => {
          const { place, chars, pictures } = wanted[index] ?? {
            place: undefined,
            chars: 0,
            pictures: 0,
          };
          const { url: _, ...read } = batch.read(event);
          const media = Array.from({ length: pictures }, (_unused, n) => ({
            kind: "photo" as const,
            url: `https://img.example/${index}/${n}.jpg`,
            alt: "",
          }));
          const message = {
            ...read,
            title: `card ${index}`,
            body: "x ".repeat(chars / 2),
            media,
            ...(place === undefined ? {} : { url: place }),
          };
          return [event, message as unknown as NeutralMessage];
        }),
      );
      const { embeds } = renderDiscord(
        {
          ...batch,
          read: (event) => messages.get(event as never) ?? expect.fail("not of the batch"),
        },
        { style: "embed" },
      );
      const own = embeds.filter(
        ({ title, description }) => title !== undefined || description !== undefined,
      );
      expect(own).toHaveLength(wanted.length);
      expect(embeds.length).toBeLessThanOrEqual(10);
      // Embeds with the same URL are shown as one: a card and its further pictures. No two cards
      // may share a URL.
      const urls = own.flatMap(({ url }) => url ?? []);
      expect(new Set(urls).size).toBe(urls.length);
      for (const url of urls)
        expect(embeds.filter((embed) => embed.url === url).length).toBeLessThanOrEqual(GALLERY);
      const chars = embeds.reduce(
        (sum, { title = "", description = "", author, footer }) =>
          sum +
          title.length +
          description.length +
          (author?.name.length ?? 0) +
          (footer?.text.length ?? 0),
        0,
      );
      expect(chars).toBeLessThanOrEqual(TOTAL);
    }),
  );
});
