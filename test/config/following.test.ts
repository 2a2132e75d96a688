import { expect, it } from "vitest";
import { goodConfig, issuesOf, oneWatch } from "./load-text.ts";

const watchOf = async (lines: string) => (await goodConfig(oneWatch(lines))).watches[0];

it("reads recheck, spike and no_events as milliseconds and numbers, and has none of them by itself", async () => {
  const lines =
    "recheck: { every: 10m, until: 24h }\nspike: { factor: 3, window: 1h, min: 10 }\nno_events: { for: 6h }";
  expect(await watchOf(lines)).toMatchObject({
    recheck: { everyMs: 600_000, untilMs: 86_400_000 },
    spike: { factor: 3, windowMs: 3_600_000, min: 10 },
    noEventsForMs: 21_600_000,
  });
  for (const key of ["recheck", "spike", "noEventsForMs"])
    expect(await watchOf("")).not.toHaveProperty(key);
});

it("takes recheck on watches of tweets only, and passes a default of it over the others", async () => {
  const yaml = (more: string, defaults: string) =>
    `defaults: { watch: { ${defaults} } }\nwatches:\n  w: { type: profile, accounts: [acme]${more} }\nsinks: { t: { type: console } }\nops: { sink: t }\n`;
  const config = await goodConfig(yaml("", "recheck: { every: 10m, until: 1h }"));
  expect(config.watches[0]).not.toHaveProperty("recheck");
  const [issue] = await issuesOf(yaml(", recheck: { every: 10m, until: 1h }", ""));
  expect(issue).toMatchObject({
    rule: "unknown-key",
    message: expect.stringContaining("`recheck`"),
  });
});
