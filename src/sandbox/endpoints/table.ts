/**
 * All operations of the sandbox. Each consists of a row in the client's table of endpoints (method,
 * path, inputs, answers, pages, cost) and a handler. A row without a handler does not compile.
 */
import type { Endpoint } from "../../api/endpoint.ts";
import { ENDPOINTS, type EndpointName } from "../../api/endpoints/index.ts";
import type { Handler } from "../calls/call.ts";
import { ANALYTICS_HANDLERS } from "./analytics.ts";
import { CHECK_HANDLERS } from "./checks.ts";
import { COMMUNITY_HANDLERS } from "./communities.ts";
import { FOLLOW_HANDLERS } from "./follows.ts";
import { LEGACY_HANDLERS } from "./legacy.ts";
import { LIST_HANDLERS } from "./lists.ts";
import { PROFILE_HANDLERS } from "./profiles.ts";
import { SEARCH_HANDLERS } from "./searches.ts";
import { SPACE_AND_TREND_HANDLERS } from "./spaces-and-trends.ts";
import { TIMELINE_HANDLERS } from "./timelines.ts";

const HANDLERS: Readonly<Record<EndpointName, Handler>> = {
  ...PROFILE_HANDLERS,
  ...FOLLOW_HANDLERS,
  ...TIMELINE_HANDLERS,
  ...SEARCH_HANDLERS,
  ...COMMUNITY_HANDLERS,
  ...LIST_HANDLERS,
  ...CHECK_HANDLERS,
  ...ANALYTICS_HANDLERS,
  ...SPACE_AND_TREND_HANDLERS,
  ...LEGACY_HANDLERS,
};

export interface Operation {
  readonly name: EndpointName;
  readonly row: Endpoint;
  readonly handle: Handler;
  /**
   * The path with the version in front, such as `/v3/…`. It may end in `{name}`, which stands for
   * one segment.
   */
  readonly path: string;
}

export const OPERATIONS: readonly Operation[] = Object.entries(HANDLERS).map(([key, handle]) => {
  const name = key as EndpointName;
  const row: Endpoint = ENDPOINTS[name];
  return { name, row, handle, path: `/${row.version ?? "v3"}${row.path}` };
});

/** The operation for the method and path of a request. */
export interface FoundOperation {
  readonly operation: Operation;
  /**
   * The decoded last segment of the request's path if the operation's path ends in `{name}`;
   * otherwise "".
   */
  readonly pathValue: string;
}

export function findOperation(method: string, path: string): FoundOperation | undefined {
  const [, parent = "", segment = ""] = /^(.*\/)([^/]+)$/.exec(path) ?? [];
  for (const operation of OPERATIONS) {
    if (operation.row.method !== method) continue;
    if (operation.path === path) return { operation, pathValue: "" };
    if (operation.path.replace(/\{\w+\}$/, "") === parent && operation.path.endsWith("}"))
      return { operation, pathValue: decode(segment) };
  }
  return undefined;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
