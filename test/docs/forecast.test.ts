/** Tests the example of docs/forecast.md by computing it again with `plan`. */
import { expect, it } from "vitest";
import { readFile } from "node:fs/promises";
import { createPlanView } from "../../src/operate/plan/plan-view.ts";
import {
  EXTRA_READS,
  MAX_MOVES_PER_DAY,
  MOVES_PER_DAY,
  POSTS_PER_DAY,
  RECHECKED_PER_DAY,
  searchesFor,
} from "../../src/plan/polls/estimate.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { goodConfig } from "../config/load-text.ts";

const page = await readFile("docs/forecast.md", "utf8");
/** Returns the cells of the row that begins with this text. */
const row = (start: string): readonly string[] => {
  const line =
    page.split("\n").find((one) => one.startsWith(`| ${start} |`)) ?? expect.unreachable(start);
  return line
    .split("|")
    .slice(2, 4)
    .map((cell) => cell.trim());
};
/** Returns the value of a cell: all of it, or what follows its last equals sign. */
const result = (cell: string): number =>
  Number((cell.split("=").at(-1) ?? "").replaceAll(/[,x ]/g, ""));
const results = (start: string): readonly number[] => row(start).map(result);
const ends = ({
  low,
  high,
}: {
  readonly low: number;
  readonly high: number;
}): readonly number[] => [low, high];

it("names the assumptions that the code makes", () => {
  expect(results("posts per account per day, with replies and reposts")).toEqual(
    ends(POSTS_PER_DAY),
  );
  expect(results("posts per account per day, without replies and reposts")).toEqual(
    ends(RECHECKED_PER_DAY),
  );
  expect(results("changes per member list per day")).toEqual(ends(MOVES_PER_DAY));
  expect(results("changes per day of the list that changes most")).toEqual(ends(MAX_MOVES_PER_DAY));
  expect(results("factor on all other requests, for full polls and repeated reads")).toEqual(
    ends(EXTRA_READS),
  );
});

it("has an example that comes out as `plan` has it, step by step", async () => {
  const ids = Array.from({ length: 100 }, (_, i) => `"id:${1_000 + i}"`).join(", ");
  const [block = ""] = /(?<=```yaml part\n)[^`]*/.exec(page) ?? [];
  const config = await goodConfig(
    `${block.replace("[alice, bob]", `[${ids}]`)}sinks: { t: { type: console } }\nops: { sink: t }\n`,
  );
  const quota = { limit: null, source: "unknown", reason: "" } as const;
  const { total, watches } = createPlanView(config, {
    hash: sha256,
    nowMs: Date.UTC(2026, 2, 2),
    quota,
    states: [],
  });
  expect(watches[0]?.strategies).toEqual(["probe"]);

  const [ticks = 0] = results("ticks a day");
  expect(ticks).toBe(86_400 / 120);
  expect(results("probes a day")).toEqual([ticks, ticks]);
  const posts = results("posts a day");
  expect(posts).toEqual(ends(POSTS_PER_DAY).map((each) => 100 * each));
  const searches = posts.map((count) => searchesFor(count, ticks));
  expect(results("searches a day")).toEqual(searches.map((count) => Math.round(count * 10) / 10));
  const perDay = searches.map((count, index) => (ticks + count) * (ends(EXTRA_READS)[index] ?? 0));
  expect(results("requests a day")).toEqual(perDay.map((count) => Math.round(count * 100) / 100));
  expect(results("requests a month")).toEqual(perDay.map((count) => Math.round(count * 30)));

  const { low, high } = total.requests_per_month_range ?? { low: 0, high: 0 };
  expect([low, high].map(Math.round)).toEqual(results("requests a month"));
  expect(page).toContain(
    `prints the middle, ${Math.round(total.requests_per_month).toLocaleString("en-US")} a month`,
  );
});
