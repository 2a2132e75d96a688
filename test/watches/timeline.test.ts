import { expect, it } from "vitest";
import { startGolden } from "./golden-rig.ts";

it("timeline tells what an account posts, once", async () => {
  const { control, minutes, told } = await startGolden("timeline", (control) => {
    control("POST", "accounts", { username: "golden_one" });
    return { accounts: ["golden_one"] };
  });
  const [id] = control("POST", "tweets", { username: "golden_one", text: "Fresh." })["ids"] as readonly string[];
  await minutes(2);
  const [only, ...rest] = await told();
  expect(rest).toEqual([]);
  expect(only?.event).toMatchObject({ type: "tweet.created", subject: id, body: { tweet: { full_text: "Fresh." } } });
  expect(only?.message).toMatchObject({ body: "Fresh.", url: `https://x.com/golden_one/status/${id}` });
  await minutes(5);
  expect(await told()).toHaveLength(1);
});
