import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../../src/api/endpoint.ts";
import { ENDPOINTS } from "../../../src/api/endpoints/index.ts";
import type { Collected } from "../../../src/cli/call/call-pages.ts";
import { endpointJson, formatCollected, formatEndpoints } from "../../../src/cli/call/call-text.ts";

const collected = (kind: Collected["kind"], ...items: readonly unknown[]): Collected => ({
  kind,
  items,
  nextCursor: null,
  pages: 1,
  cut: 0,
  error: undefined,
});
const user = {
  id: "7",
  username: "alice",
  display_name: "Alice",
  followers_count: 1_234,
  description: "x".repeat(200),
};

describe("a table of a call", () => {
  it("cuts lines to the width of the terminal, and texts where there is none", () => {
    const narrow = formatCollected(collected("users", user), 40).split("\n");
    expect(narrow.map((line) => line.length)).toEqual([40, 40]);
    expect(narrow[1]).toMatch(/^7 {3}@alice {2}Alice {6}1,234 {2}x+…$/);
    expect(formatCollected(collected("users", user)).split("\n")[1]).toMatch(/ x{70}…$/);
    expect(formatCollected(collected("users", user), 300).split("\n")[1]).toMatch(/ x{200}$/);
  });

  it("shows scores and dates of follows where a list has them", () => {
    const table = formatCollected(
      collected("users", { ...user, score: 4183.88, followerDate: "2026-03-01T10:00:00.000Z" }),
      80,
    );
    expect(table).toMatch(/^ID +HANDLE +NAME +FOLLOWERS +SCORE +SINCE +DESC/);
    expect(table).toContain("1,234  4,184  2026-03-01 10:00");
  });

  it("shows an object field by field, and one that is only a list as that list", () => {
    expect(
      formatCollected(collected("record", { name: "C", member_count: 3, creator: { id: "7" } })),
    ).toBe('FIELD         VALUE\nname          C\nmember_count  3\ncreator       {"id":"7"}');
    expect(formatCollected(collected("record", { trends: [{ name: "A", query: "a" }] }))).toBe(
      "NAME  QUERY\nA     a",
    );
    expect(formatCollected(collected("tweets"))).toBe("(nothing)");
  });
});

describe("the list of endpoints", () => {
  const rows = Object.entries<Endpoint>(ENDPOINTS);

  it("has all 43 with method, cost and page size, cut to the terminal", () => {
    const lines = formatEndpoints(rows, 72).split("\n");
    expect(lines).toHaveLength(44);
    expect(Math.max(...lines.map((line) => line.length))).toBe(72);
    expect(lines.join("\n")).toMatch(/^followers +GET +1 request a page +200 +- /m);
    expect(lines.join("\n")).toMatch(/^comments +POST +1 request a page +\? +- /m);
    expect(lines.join("\n")).toMatch(/^info-batch +GET +1 request +- +100 /m);
    expect(lines.join("\n")).toMatch(/^key-usage-info +GET +free +- +- /m);
  });

  it("as JSON says what may be combined", () => {
    expect(endpointJson(["info", ENDPOINTS.info])).toMatchObject({
      endpoint: "info",
      method: "GET",
      path: "/v3/info",
      cost: "1 request",
      paged: false,
      exactly_one: [["user_link", "username", "user_id"]],
    });
    expect(endpointJson(["v2-user-tweets", ENDPOINTS["v2-user-tweets"]])).toMatchObject({
      path: "/v2/user-tweets",
      paged: true,
    });
  });
});
