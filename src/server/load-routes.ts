/** Loads the routes of a daemon that is active, or of one that stands by. */
import type { Hono } from "hono";
import type { Access, HttpRouteDeps } from "./routes.ts";
import type { StandbyRouteDeps } from "./standby-routes.ts";

export async function loadRoutes(deps: HttpRouteDeps | StandbyRouteDeps, access: Access): Promise<Hono> {
  if ("standbyText" in deps) return (await import("./standby-routes.ts")).createStandbyRoutes(deps);
  return (await import("./routes.ts")).createRoutes(deps, access);
}
