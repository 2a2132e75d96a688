/**
 * Builds the HTTP request from a row of the endpoint table and checked inputs: query string or JSON
 * body, cursor and key.
 */
import type { HttpRequest } from "../model/http.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { BaseUrl } from "./base-url.ts";
import type { CursorRule, Endpoint } from "./endpoint.ts";
import { readText } from "./read-value.ts";

interface Access {
  readonly base: BaseUrl;
  readonly key: string;
}

/**
 * Returns the method, address, headers and body of one request. The service accepts the key only in
 * a header that is named exactly `ApiKey`.
 */
export function writeRequest(
  { base, key }: Access,
  endpoint: Endpoint,
  params: JsonObject,
  cursor: string | undefined,
): Pick<HttpRequest, "method" | "url" | "headers" | "body" | "reach"> {
  const { path, rest } = fillPath(endpoint.path, params);
  const url = `${endpoint.version === "v2" ? base.v2Url : base.url}${path}`;
  const headers = { ApiKey: key, Accept: "application/json" };
  const rule = cursor === undefined ? undefined : endpoint.cursor;
  if (endpoint.method === "GET")
    return {
      method: "GET",
      url: `${url}${queryString(rest, rule, cursor)}`,
      headers,
      reach: base.reach,
    };
  const body = jsonBody(rest, rule, cursor);
  return {
    method: "POST",
    url,
    headers: { ...headers, "Content-Type": "application/json" },
    body,
    reach: base.reach,
  };
}

function fillPath(path: string, params: JsonObject): { path: string; rest: JsonObject } {
  const rest: Record<string, Json | undefined> = { ...params };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(readText(value));
  });
  return { path: filled, rest };
}

/**
 * Writes the query string. For an array, the parameter is repeated for each entry, because the
 * service reads only the first entry of a comma-separated value.
 */
function queryString(params: JsonObject, rule: CursorRule | undefined, cursor = ""): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const entry of Array.isArray(value) ? value : [value]) query.append(name, String(entry));
  }
  if (rule !== undefined) query.append(rule.param, cursor);
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

function jsonBody(params: JsonObject, rule: CursorRule | undefined, cursor = ""): string {
  if (rule === undefined) return JSON.stringify(params);
  if (!rule.isNumber || !/^-?\d+$/.test(cursor))
    return JSON.stringify({ ...params, [rule.param]: cursor });
  // A JavaScript number cannot hold every int64, so the cursor's digits are inserted into the text.
  const body = JSON.stringify(params);
  return `${body.slice(0, -1)}${body === "{}" ? "" : ","}${JSON.stringify(rule.param)}:${cursor}}`;
}
