import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../../src/api/endpoints/index.ts";
import { CALL_FLAGS, inputsOf, parseCallArguments } from "../../../src/cli/call/call-arguments.ts";
import { collectPages } from "../../../src/cli/call/call-pages.ts";
import { createMemoryLedger } from "../../../src/cli/access/memory-ledger.ts";
import type { UpstreamAnswer } from "../../../src/model/upstream.ts";
import { API_SAMPLES } from "../../support/api-samples.ts";

const parse = (name: keyof typeof ENDPOINTS, ...tokens: readonly string[]) =>
  parseCallArguments(name, ENDPOINTS[name], tokens);

describe("arguments of a call", () => {
  it("takes both spellings of a name, and a value behind an equals sign", () => {
    for (const tokens of [["--user_id", "7"], ["--user-id", "7"], ["--user-id=7"]])
      expect(parse("info", ...tokens).params).toEqual({ user_id: "7" });
  });

  it("takes the token after a parameter as its value, whatever it looks like", () => {
    expect(parse("search-tweets", "--query", "-cat --all").params).toEqual({ query: "-cat --all" });
  });

  it("repeats a parameter that takes many values, and only that", () => {
    expect(parse("info-batch", "--usernames", "a", "--usernames", "@b").params).toEqual({
      usernames: ["a", "b"],
    });
    expect(() => parse("info", "--username", "a", "--username", "b")).toThrow(
      "--username is given twice",
    );
  });

  it("keeps flags, configuration and cursor apart from the endpoint's own", () => {
    const given = parse(
      "followers",
      "--username",
      "a",
      "--all",
      "-c",
      "x.yaml",
      "--next_cursor",
      "99",
    );
    expect(given).toMatchObject({ config: "x.yaml", cursor: "99", params: { username: "a" } });
    expect([...given.flags]).toEqual(["all"]);
  });

  it.each([
    ["a missing value", ["--username"], "--username needs a value"],
    ["an unknown parameter", ["--foo", "1"], "info has no parameter --foo"],
    [
      "a misspelt parameter, before it swallows the next word",
      ["--usernme", "--all"],
      "info has no parameter --usernme; did you mean `--username`?",
    ],
    [
      "a misspelt flag",
      ["--tabel", "--username", "a"],
      "info has no parameter --tabel; did you mean `--table`?",
    ],
    ["a value of the wrong kind", ["--user_id", "alice"], '"--user_id" must be a string of digits'],
    ["none of a group", [], "give exactly one of --user_link, --username or --user_id"],
    [
      "two of a group",
      ["--username", "a", "--user-id", "1"],
      "give exactly one of --user_link, --username or --user_id",
    ],
    [
      "a limit that is none",
      ["--username", "a", "--limit", "0"],
      '--limit must be a whole number from 1, not "0"',
    ],
    [
      "a cursor where there are no pages",
      ["--username", "a", "--next_cursor", "1"],
      "info has no parameter --next_cursor",
    ],
    ["a word that is not a parameter", ["alice"], '"alice" is not a parameter'],
  ])("refuses %s with code 2, and names it", (_, tokens, message) => {
    expect(() => parse("info", ...tokens)).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) as string }),
    );
  });

  it("says what an endpoint takes, with groups, choices and what may be repeated", () => {
    expect(inputsOf(ENDPOINTS["info-batch"])).toBe(
      "It takes --usernames (repeatable), --user_ids (repeatable). Give exactly one of --usernames, --user_ids.",
    );
    expect(inputsOf(ENDPOINTS["search-tweets"])).toBe("It takes --query, --order popular|latest.");
    expect(inputsOf(ENDPOINTS["key-usage-info"])).toBe("It takes no parameters.");
  });

  it("has no flag that an endpoint has as an input", () => {
    const inputs = Object.values(ENDPOINTS).flatMap(({ input }) => Object.keys(input.shape));
    expect(inputs.filter((name) => CALL_FLAGS.includes(name))).toEqual([]);
  });

  it.each(Object.keys(ENDPOINTS) as (keyof typeof ENDPOINTS)[])(
    "reaches %s with its inputs as flags",
    (name) => {
      const { params, body } = API_SAMPLES[name];
      const tokens = Object.entries(params).flatMap(([param, value]) => {
        const values = Array.isArray(value)
          ? (value as readonly string[])
          : [value as string | number];
        return values.flatMap((one) => [`--${param.replaceAll("_", "-")}`, String(one)]);
      });
      const given = parse(name, ...tokens).params;
      expect(Object.keys(given)).toEqual(Object.keys(params));
      if (body !== undefined) expect(given).toEqual(body);
    },
  );
});

describe("pages of a call", () => {
  const pages =
    (...answers: readonly (UpstreamAnswer | Error)[]) =>
    async (): Promise<UpstreamAnswer> => {
      const next = answers[asked++];
      if (next === undefined || next instanceof Error) throw next ?? new Error("asked too often");
      return next;
    };
  let asked = 0;
  const collect = (ask: () => Promise<UpstreamAnswer>, all: boolean) => {
    asked = 0;
    return collectPages({ ask, cursor: undefined, all, onPage: () => undefined });
  };
  const page = (id: number, nextCursor?: string) =>
    ({
      users: [{ id: String(id) }],
      ...(nextCursor === undefined ? {} : { nextCursor }),
    }) as unknown as UpstreamAnswer;

  it("one page keeps its cursor, all of them end it", async () => {
    expect(await collect(pages(page(1, "A"), page(2)), false)).toMatchObject({
      pages: 1,
      nextCursor: "A",
    });
    expect(await collect(pages(page(1, "A"), page(2)), true)).toMatchObject({
      pages: 2,
      nextCursor: null,
      items: [{ id: "1" }, { id: "2" }],
    });
  });

  it("an empty page ends nothing", async () => {
    expect(
      await collect(pages(page(1, "A"), { users: [], nextCursor: "B" }, page(3)), true),
    ).toMatchObject({
      pages: 3,
      items: [{ id: "1" }, { id: "3" }],
    });
  });

  it("a limit ends the walk at the page that reaches it, and says what came beyond", async () => {
    const two = { users: [{ id: "1" }, { id: "2" }], nextCursor: "A" } as unknown as UpstreamAnswer;
    const ask = pages(two, { ...two, nextCursor: "B" }, page(5));
    asked = 0;
    const found = await collectPages({
      ask,
      cursor: undefined,
      all: true,
      limit: 3,
      onPage: () => undefined,
    });
    expect(found).toMatchObject({
      pages: 2,
      items: [{ id: "1" }, { id: "2" }, { id: "1" }],
      nextCursor: "B",
      cut: 1,
    });
  });

  it("what was paid for is kept when a later page fails, with the cursor to go on from", async () => {
    const found = await collect(pages(page(1, "A"), new Error("down")), true);
    expect(found).toMatchObject({
      items: [{ id: "1" }],
      nextCursor: "A",
      error: new Error("down"),
    });
  });

  it("a cursor that comes again ends the walk", async () => {
    const found = await collect(pages(page(1, "A"), page(2, "B"), page(3, "A")), true);
    expect(found.items).toHaveLength(3);
    expect(String(found.error)).toContain("returned the same cursor twice");
  });
});

describe("a ledger without a state", () => {
  const reservation = {
    endpoint: "info",
    watch: "",
    billed: true,
    rate: { count: 2, intervalMs: 1_000 },
    holdMs: 31_000,
  };

  it("grants no more than the rate, counted from answers", async () => {
    const ledger = createMemoryLedger();
    const first = await ledger.reserve({ ...reservation, atMs: 0 });
    await ledger.reserve({ ...reservation, atMs: 0 });
    expect(await ledger.reserve({ ...reservation, atMs: 10 })).toEqual({
      kind: "rate",
      retryAtMs: 31_000,
    });
    if (first.kind === "granted") await ledger.settle(first.ledgerId, 200, 200);
    expect(await ledger.reserve({ ...reservation, atMs: 300 })).toEqual({
      kind: "rate",
      retryAtMs: 1_200,
    });
    expect(await ledger.reserve({ ...reservation, atMs: 1_200 })).toMatchObject({
      kind: "granted",
    });
  });
});
