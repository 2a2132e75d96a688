import { expect, it } from "vitest";
import { startWatchFixture } from "./watch-fixture.ts";

it("timeline reports what an account posts, once", async () => {
  const { control, minutes, alerts } = await startWatchFixture("timeline", (control) => {
    control("POST", "accounts", { username: "golden_one" });
    return { accounts: ["golden_one"] };
  });
  const [id] = control("POST", "tweets", { username: "golden_one", text: "Fresh." })[
    "ids"
  ] as readonly string[];
  await minutes(2);
  const [only, ...rest] = await alerts();
  expect(rest).toEqual([]);
  expect(only?.event).toMatchObject({
    type: "tweet.created",
    subject: id,
    body: { tweet: { full_text: "Fresh." } },
  });
  expect(only?.message).toMatchObject({
    body: "Fresh.",
    url: `https://x.com/golden_one/status/${id}`,
  });
  await minutes(5);
  expect(await alerts()).toHaveLength(1);
});
