/** Loads the routes of a working daemon, or of one that does not work at the moment. */
import type { Hono } from "hono";
import type { Access, HttpRouteDeps } from "./routes.ts";
import type { StandbyRouteDeps } from "./standby-routes.ts";

/** What a server answers with. */
export type RouteDeps = HttpRouteDeps | StandbyRouteDeps;

export async function loadRoutes(deps: RouteDeps, access: Access): Promise<Hono> {
  if ("idle" in deps) return (await import("./standby-routes.ts")).createStandbyRoutes(deps);
  return (await import("./routes.ts")).createRoutes(deps, access);
}
