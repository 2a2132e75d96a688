/**
 * Calls the routes of the API inside this process, for a command when no daemon answers. No socket
 * or port is opened.
 */
import { Hono } from "hono";
import type { Json } from "../model/json.ts";
import { addApi, type ApiDeps, removeDirectionMarks } from "./api-routes.ts";
import type { ControlAnswer, ControlMethod } from "./control-client.ts";

export interface ApiRequest {
  readonly method: ControlMethod;
  /** The path of the API, for example `/api/v1/status`. */
  readonly path: string;
  /** The body, which is sent as JSON. */
  readonly body?: Json | undefined;
}

/**
 * Calls one route. `door` is named as the author of a change if the request names nobody. @throws
 * the error with which the route failed
 */
export async function askInProcess(
  deps: ApiDeps,
  door: string,
  { method, path, body }: ApiRequest,
): Promise<ControlAnswer> {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    await removeDirectionMarks(c);
  });
  app.onError((error) => {
    throw error;
  });
  addApi(app, deps, door);
  const answer = await app.request(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Json };
}
