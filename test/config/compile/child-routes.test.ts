/**
 * Tests what a child route inherits from the route above it: each grouping key that it does not set
 * itself.
 */
import { expect, it } from "vitest";
import { goodConfig } from "../load-text.ts";

const KEYS = { group_by: ["author"], group_wait: "10s", group_interval: "2m" } as const;
const OWN = { group_by: ["lang"], group_wait: "20s", group_interval: "7m" } as const;
const names = Object.keys(KEYS) as (keyof typeof KEYS)[];
const subsets = Array.from({ length: 2 ** names.length }, (_, bits) =>
  names.filter((_name, index) => (bits >> index) % 2 === 1),
);

const pick = <T extends object>(all: T, keys: readonly (keyof T)[]) =>
  Object.fromEntries(keys.map((key) => [key, all[key]]));
const MS: Readonly<Record<string, number>> = {
  "10s": 10_000,
  "2m": 120_000,
  "20s": 20_000,
  "7m": 420_000,
};

it.each(subsets.flatMap((above) => subsets.map((own) => [above, own] as const)))(
  "above: %o, its own: %o",
  async (above, own) => {
    const config = await goodConfig(
      JSON.stringify({
        watches: { w: { type: "search", query: "acme" } },
        sinks: { out: { type: "console" } },
        ...{ ops: { sink: "out" }, api: { key: "k" } },
        route: {
          sink: "out",
          ...pick(KEYS, above),
          routes: [
            {
              matchers: ['lang="de"'],
              ...pick(OWN, own),
              routes: [{ matchers: ['author="a"'], sink: "out" }],
            },
          ],
        },
      }),
    );
    const [child] = config.route?.routes ?? [];
    const wanted = {
      group_by: [],
      group_wait: "0",
      group_interval: "0",
      ...pick(KEYS, above),
      ...pick(OWN, own),
    } as Record<string, any>;
    for (const route of [child, child?.routes[0]])
      expect(route).toMatchObject({
        groupBy: wanted["group_by"],
        groupWaitMs: MS[wanted["group_wait"]] ?? 0,
        groupIntervalMs: MS[wanted["group_interval"]] ?? 0,
      });
  },
);
