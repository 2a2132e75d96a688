import { expect, it } from "vitest";
import { startWatchFixture } from "./watch-fixture.ts";

const ARTICLE = "1821771824636100612";

it("article reports a count that crossed, with its author, preview and link", async () => {
  const fixture = await startWatchFixture("article", {
    tweet: ARTICLE,
    when: { reply_count: "every 3" },
  });
  for (const text of ["one", "two", "three", "four"])
    fixture.control("POST", "tweets", { username: "bob", reply_to: ARTICLE, text });
  await fixture.minutes(3);
  const [alerts, ...more] = await fixture.alerts();
  expect(more).toEqual([]);
  expect(alerts?.event).toMatchObject({
    type: "article.changed",
    subject: ARTICLE,
    body: { crossed: ["reply_count"], changed: [] },
  });
  const author = alerts?.event.body.user?.username ?? "";
  expect(alerts?.event.labels).toMatchObject({ author, target: ARTICLE });
  expect(alerts?.message.title).toMatch(/^An article by .* reached \d+ replies$/);
  expect(alerts?.message.url).toBe(`https://x.com/${author}/status/${ARTICLE}`);
  expect(alerts?.message.body).not.toBe("");
});
