/**
 * Every operation of the sandbox: the client's own row (method, path, inputs, pages, cost) and what the sandbox adds to it. The compiler
 * refuses a row of the client's table without a behaviour here.
 */
import type { Endpoint } from "../../api/endpoint.ts";
import { ENDPOINTS, type EndpointName } from "../../api/endpoints/index.ts";
import type { Behaviour } from "../call.ts";
import { ANALYTICS_BEHAVIOURS } from "./analytics.ts";
import { CHECK_BEHAVIOURS } from "./checks.ts";
import { COMMUNITY_BEHAVIOURS } from "./communities.ts";
import { FOLLOW_BEHAVIOURS } from "./follows.ts";
import { LEGACY_BEHAVIOURS } from "./legacy.ts";
import { LIST_BEHAVIOURS } from "./lists.ts";
import { PROFILE_BEHAVIOURS } from "./profiles.ts";
import { SEARCH_BEHAVIOURS } from "./searches.ts";
import { SURROUNDING_BEHAVIOURS } from "./surroundings.ts";
import { TIMELINE_BEHAVIOURS } from "./timelines.ts";

const BEHAVIOURS: Readonly<Record<EndpointName, Behaviour>> = {
  ...PROFILE_BEHAVIOURS,
  ...FOLLOW_BEHAVIOURS,
  ...TIMELINE_BEHAVIOURS,
  ...SEARCH_BEHAVIOURS,
  ...COMMUNITY_BEHAVIOURS,
  ...LIST_BEHAVIOURS,
  ...CHECK_BEHAVIOURS,
  ...ANALYTICS_BEHAVIOURS,
  ...SURROUNDING_BEHAVIOURS,
  ...LEGACY_BEHAVIOURS,
};

export interface Operation extends Behaviour {
  readonly name: EndpointName;
  readonly row: Endpoint;
  /** With the version prefix; may end in `{name}`, which stands for one segment. */
  readonly path: string;
}

export const OPERATIONS: readonly Operation[] = Object.entries(BEHAVIOURS).map(([key, behaviour]) => {
  const name = key as EndpointName;
  const row: Endpoint = ENDPOINTS[name];
  return { ...behaviour, name, row, path: `/${row.version ?? "v3"}${row.path}` };
});

/** The operation of a method and path, with the path's last segment where it takes one. */
export function findOperation(method: string, path: string): { readonly operation: Operation; readonly pathValue: string } | undefined {
  const [, parent = "", segment = ""] = /^(.*\/)([^/]+)$/.exec(path) ?? [];
  for (const operation of OPERATIONS) {
    if (operation.row.method !== method) continue;
    if (operation.path === path) return { operation, pathValue: "" };
    if (operation.path.replace(/\{\w+\}$/, "") === parent && operation.path.endsWith("}")) return { operation, pathValue: decode(segment) };
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
