import { expect, it } from "vitest";
import { changeFields, compareConfigs } from "../../../src/operate/changes/config-changes.ts";
import { goodConfig } from "../../config/load-text.ts";

const base = {
  version: 1,
  api: { base_url: "http://127.0.0.1:1", key: "k" },
  watches: { brand: { type: "search", query: "acme" }, other: { type: "search", query: "other" } },
  sinks: { out: { type: "console" }, more: { type: "console" } },
  route: { sink: ["out", "more"] },
};
const configOf = (more: object) => goodConfig(JSON.stringify({ ...base, ...more }));

const fieldsAfter = async (more: object) =>
  changeFields(compareConfigs(await configOf({}), await configOf(more)), [], []);

it.each([
  [{}, {}],
  [
    { watches: { ...base.watches, third: { type: "search", query: "3" } } },
    { watches_added: ["third"] },
  ],
  [{ watches: { brand: base.watches.brand } }, { watches_removed: ["other"] }],
  [
    {
      watches: {
        ...base.watches,
        brand: { ...base.watches.brand, where: "tweet.likes_count > 1" },
      },
    },
    { watches_changed: ["brand"] },
  ],
  [{ defaults: { watch: { max_pages: 3 } } }, { watches_changed: ["brand", "other"] }],
  [
    { sinks: { ...base.sinks, out: { type: "console", retry_for: "2h" } } },
    { sinks_changed: ["out"] },
  ],
  [{ route: { sink: ["out", "more"], group_wait: "9s" } }, { sections_changed: ["route"] }],
  [
    { links: { host: "https://social.example" }, api: { ...base.api, key: "other" } },
    { sections_changed: ["api", "links"] },
  ],
])("names what changed: %j", async (more, fields) => {
  expect(await fieldsAfter(more)).toEqual({
    ...(Object.keys(more).length > 0 && { files: ["watches.yaml"] }),
    ...fields,
  });
});

it.each([
  [20, 20, "w19"],
  [21, 21, "and 1 more"],
  [25, 21, "and 5 more"],
])("of %i added watches logs %i names, the last of them %s", async (count, length, last) => {
  const many = Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`w${n}`, { type: "search", query: "q" }]),
  );
  const { watches_added: added = [] } = await fieldsAfter({
    watches: { ...base.watches, ...many },
  });
  expect([added.length, added[0], added.at(-1)]).toEqual([length, "w0", last]);
});

it("never names a secret", async () => {
  const text = JSON.stringify(await fieldsAfter({ api: { ...base.api, key: "the-new-secret" } }));
  expect(text).not.toContain("the-new-secret");
});
