/** Loads the routes of a working daemon, or those of a daemon that starts, stops or stands by. */
import type { Hono } from "hono";
import type { Access, HttpRouteDeps } from "./routes.ts";
import type { StandbyRouteDeps } from "./standby-routes.ts";

/** The dependencies of the routes, by which `loadRoutes` chooses the routes. */
export type RouteDeps = HttpRouteDeps | StandbyRouteDeps;

export async function loadRoutes(deps: RouteDeps, access: Access): Promise<Hono> {
  if ("idle" in deps) return (await import("./standby-routes.ts")).createStandbyRoutes(deps);
  return (await import("./routes.ts")).createRoutes(deps, access);
}
