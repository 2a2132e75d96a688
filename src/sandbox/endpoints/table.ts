/** The endpoint table of the sandbox: one row per endpoint. */
import type { EndpointRow } from "../call.ts";
import { ANALYTICS_ROWS } from "./analytics.ts";
import { CHECK_ROWS } from "./checks.ts";
import { COMMUNITY_ROWS } from "./communities.ts";
import { FOLLOW_ROWS } from "./follows.ts";
import { LEGACY_ROWS } from "./legacy.ts";
import { LIST_ROWS } from "./lists.ts";
import { PROFILE_ROWS } from "./profiles.ts";
import { SEARCH_ROWS } from "./searches.ts";
import { SURROUNDING_ROWS } from "./surroundings.ts";
import { TIMELINE_ROWS } from "./timelines.ts";

export const ENDPOINTS: readonly EndpointRow[] = [
  ...PROFILE_ROWS,
  ...FOLLOW_ROWS,
  ...TIMELINE_ROWS,
  ...SEARCH_ROWS,
  ...COMMUNITY_ROWS,
  ...LIST_ROWS,
  ...CHECK_ROWS,
  ...ANALYTICS_ROWS,
  ...SURROUNDING_ROWS,
  ...LEGACY_ROWS,
];

/** The row for a method and path, with the path's last segment where the row takes one. */
export function findEndpoint(method: string, path: string): { readonly row: EndpointRow; readonly pathValue: string } | undefined {
  for (const row of ENDPOINTS) {
    if (row.method !== method) continue;
    const own = row.path ?? `/v3/${row.name}`;
    if (row.takesSegment !== true && path === own) return { row, pathValue: "" };
    const segment = row.takesSegment === true && path.startsWith(`${own}/`) ? decode(path.slice(own.length + 1)) : "";
    if (segment !== "" && !segment.includes("/")) return { row, pathValue: segment };
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
