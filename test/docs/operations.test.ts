/** Tests that no row of the operations in docs/client.md is empty without a written reason. */
import { describe, expect, it } from "vitest";
import { createClient } from "../../src/api/client.ts";
import { ENDPOINTS } from "../../src/api/endpoints/index.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { operationRows } from "./page-operations.ts";

const rows = operationRows();
const client = createClient({
  baseUrl: "https://api.example.com",
  key: "K",
  http: { request: () => Promise.reject(new Error("not here")) },
});

describe.each(rows)("$name", ({ method, route, request, watchTypes, reason }) => {
  it("has a method of the client", () => {
    expect(client).toHaveProperty(method, expect.any(Function));
  });

  it("has a route of the sandbox", () => {
    expect(request).toMatch(new RegExp(`^(GET|POST) ${route?.replace(/[{}]/g, "\\$&")}$`));
  });

  it("has a watch type or a reason, and not both", () => {
    expect({ watchTypes, reason: reason ?? "" }).toSatisfy(
      (cell: { readonly watchTypes: readonly string[]; readonly reason: string }) =>
        cell.watchTypes.length > 0 !== cell.reason.length > 20,
    );
  });
});

it("watch types name operations that exist", () => {
  const named = WATCH_TYPES.flatMap(({ type, endpoints }) =>
    endpoints.map((endpoint) => ({ type, endpoint })),
  );
  expect(named.filter(({ endpoint }) => !Object.hasOwn(ENDPOINTS, endpoint))).toEqual([]);
  expect(
    WATCH_TYPES.filter(({ endpoints }) => endpoints.length === 0).map(({ type }) => type),
  ).toEqual([]);
});
