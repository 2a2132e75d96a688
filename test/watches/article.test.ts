import { expect, it } from "vitest";
import { startGolden } from "./golden-rig.ts";

const ARTICLE = "1821771824636100612";

it("article tells a count that crossed, with its author, preview and link", async () => {
  const golden = await startGolden("article", { tweet: ARTICLE, when: { reply_count: "every 3" } });
  for (const text of ["one", "two", "three", "four"]) golden.control("POST", "tweets", { username: "bob", reply_to: ARTICLE, text });
  await golden.minutes(3);
  const [told, ...more] = await golden.told();
  expect(more).toEqual([]);
  expect(told?.event).toMatchObject({ type: "article.changed", subject: ARTICLE, body: { crossed: ["reply_count"], changed: [] } });
  const author = told?.event.body.user?.username ?? "";
  expect(told?.event.labels).toMatchObject({ author, target: ARTICLE });
  expect(told?.message.title).toMatch(/^An article by .* reached \d+ replies$/);
  expect(told?.message.url).toBe(`https://x.com/${author}/status/${ARTICLE}`);
  expect(told?.message.body).not.toBe("");
});
