import { expect, it } from "vitest";
import { type GoldenOptions, startGolden } from "./golden-rig.ts";

it("timeline tells what an account posts, once", async () => {
  const before: GoldenOptions["before"] = (control) => void control("POST", "accounts", { username: "golden_one" });
  const { control, minutes, told } = await startGolden("timeline", { accounts: ["golden_one"] }, { before });
  const [id] = control("POST", "tweets", { username: "golden_one", text: "Fresh." })["ids"] as readonly string[];
  await minutes(2);
  const [only, ...rest] = await told();
  expect(rest).toEqual([]);
  expect(only?.event).toMatchObject({ type: "tweet.created", subject: id, body: { tweet: { full_text: "Fresh." } } });
  expect(only?.message).toMatchObject({ body: "Fresh.", url: `https://x.com/golden_one/status/${id}` });
  await minutes(5);
  expect(await told()).toHaveLength(1);
});
