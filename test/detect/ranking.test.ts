import fc from "fast-check";
import { expect, it } from "vitest";
import {
  detectRanking,
  type RankingFact,
  type RankingMemory,
  type RankingRule,
} from "../../src/detect/ranking.ts";

const RULE: RankingRule = {
  list: "trends",
  key: "name",
  name: "trend",
  top: 3,
  entered: "trend.entered",
  left: "trend.left",
  moved: "trend.moved",
  moveBy: 2,
};

/**
 * Returns what each list in turn reports, in short form: `+a1` entered at 1, `-a` left, `a1>3`
 * moved.
 */
function report(lists: readonly string[], rule = RULE): string[] {
  let memory: RankingMemory | undefined;
  return lists.map((list) => {
    const finding = detectRanking(memory, list.split(""), rule);
    memory = finding.memory;
    return finding.facts.map(short).join(" ");
  });
}

const short = ({ event, key, rank, previousRank }: RankingFact): string =>
  event === "trend.entered"
    ? `+${key}${rank}`
    : event === "trend.left"
      ? `-${key}`
      : `${key}${previousRank}>${rank}`;

it("takes the first list for the baseline and reports who enters", () => {
  expect(report(["abc", "abc", "abd"])).toEqual(["", "", "+d3"]);
});

it("reports who left only when two lists in a row were without it", () => {
  expect(report(["abc", "abx", "abc", "abx", "abx"])).toEqual(["", "+x3", "", "", "-c"]);
});

it("reports a name as gone at the second list in a row without it, whatever other names do meanwhile", () => {
  const lists = fc.array(fc.subarray(["a", "b", "c", "d"]), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(lists, (row) => {
      const names = row.map((list) => list.slice(0, RULE.top));
      const reported = report(names.map((list) => list.join("")));
      const there = new Map((names[0] ?? []).map((name) => [name, 0]));
      for (const [index, list] of names.entries()) {
        if (index === 0) continue;
        const expected: string[] = list
          .filter((name) => !there.has(name))
          .map((name) => `+${name}`);
        for (const name of list) there.set(name, 0);
        for (const name of there.keys()) {
          if (list.includes(name)) continue;
          there.set(name, (there.get(name) ?? 0) + 1);
          if (there.get(name) === 2) expected.push(`-${name}`);
        }
        for (const name of expected) if (name.startsWith("-")) there.delete(name.slice(1));
        const found = (reported[index] ?? "")
          .split(" ")
          .flatMap((fact) => /^[+-]./.exec(fact)?.[0] ?? []);
        expect(found.sort()).toEqual(expected.sort());
      }
    }),
  );
});

it("reports a move from the rank that was last reported, not from the one before", () => {
  expect(report(["abc", "bac", "bca", "abc"])).toEqual(["", "", "a1>3", "a3>1"]);
});

it("takes the first list of which another number of ranks counts for a baseline", () => {
  const at = (top: number, memory?: RankingMemory) =>
    detectRanking(memory, ["a", "b", "c", "d"], { ...RULE, top });
  const three = at(3).memory;
  const four = at(4, three);
  expect(four.facts).toEqual([]);
  expect(
    detectRanking(four.memory, ["a", "b", "c", "e"], { ...RULE, top: 4 }).facts.map(short),
  ).toEqual(["+e4"]);
  const { top: _, ...old } = three;
  expect(at(4, old).facts.map(short)).toEqual(["+d4"]);
});

it("sees nothing below the ranks that count, and takes each name once", () => {
  expect(report(["abc", "aabcd", "abdc"])).toEqual(["", "", "+d3"]);
});

it("keeps names that are special to JavaScript like any other", () => {
  let memory = detectRanking(undefined, ["a"], RULE).memory;
  memory = JSON.parse(
    JSON.stringify(detectRanking(memory, ["a", "__proto__", "constructor"], RULE).memory),
  ) as RankingMemory;
  expect(detectRanking(memory, ["a", "__proto__", "constructor"], RULE).facts).toEqual([]);
});

it("does not report what has no event type", () => {
  const { left: _, moved: __, ...rule } = RULE;
  expect(report(["abc", "cba", "xyz", "xyz"], rule)).toEqual(["", "", "+x1 +y2 +z3", ""]);
});
