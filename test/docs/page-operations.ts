/**
 * Renders the table of operations in docs/client.md: every operation of the data service, and where
 * the product uses it: client, sandbox, watch types. The rest of the page is written by hand.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { methodName } from "../../src/api/client.ts";
import type { Endpoint } from "../../src/api/endpoint.ts";
import { ENDPOINTS, type EndpointName } from "../../src/api/endpoints/index.ts";
import { pageSizeText } from "../../src/cli/call/call-text.ts";
import { findOperation } from "../../src/sandbox/endpoints/table.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { code, table } from "./markdown.ts";

/** The reasons why no watch type uses an operation. An empty cell without one fails a test. */
const NOT_WATCHED: Readonly<Partial<Record<EndpointName, string>>> = {
  info: "`profile` requests `info-batch`: 100 accounts for the price of one.",
  "tweet-info": "Tweets are watched through `tweet-info-bulk`: 100 tweets for the price of one.",
  "v2-user-tweets": "The older form of `user-tweets`, with fewer fields.",
  "id-to-username":
    "The daemon requests it by itself when an account is no longer found; `profile` reports renames.",
  "username-to-id": "A lookup. The daemon resolves handles through `info-batch`, 100 a request.",
  "link-to-id": "A lookup: the id behind a link never changes.",
  "key-usage-info": "The daemon requests it by itself, for `quota.low` and the forecast.",
};

export interface OperationRow {
  readonly name: EndpointName;
  readonly endpoint: Endpoint;
  readonly request: string;
  readonly method: string;
  /** The route in the sandbox. Undefined if the sandbox does not have the operation. */
  readonly route: string | undefined;
  readonly watchTypes: readonly string[];
  readonly reason: string | undefined;
}

export const operationRows = (): readonly OperationRow[] =>
  (Object.keys(ENDPOINTS) as EndpointName[]).map((name) => {
    const endpoint: Endpoint = ENDPOINTS[name];
    const path = `/${endpoint.version ?? "v3"}${endpoint.path}`;
    return {
      name,
      endpoint,
      request: `${endpoint.method} ${path}`,
      method: methodName(name),
      route: findOperation(endpoint.method, path.replace(/\{\w+\}/, "1"))?.operation.path,
      watchTypes: WATCH_TYPES.filter(({ endpoints }) => endpoints.includes(name)).map(
        ({ type }) => type,
      ),
      reason: NOT_WATCHED[name],
    };
  });

const watchCell = ({ watchTypes, reason }: OperationRow): string =>
  watchTypes.length === 0 ? (reason ?? "") : watchTypes.map(code).join(", ");

const operationsTable = (): string =>
  table(
    ["Operation", "Request", "Page", "Batch", "Watch types"],
    operationRows().map((row) => [
      code(row.name),
      row.request,
      pageSizeText(row.endpoint),
      row.endpoint.batch === undefined ? "-" : String(row.endpoint.batch.size),
      watchCell(row),
    ]),
  );

/** Returns the page with its table as the code writes it now. */
export const clientPage = (root: string): string =>
  readFileSync(join(root, "docs/client.md"), "utf8").replace(
    /(?<=^<!-- operations: [^\n]*\n\n)[\s\S]*$/m,
    () => `${operationsTable()}\n`,
  );
