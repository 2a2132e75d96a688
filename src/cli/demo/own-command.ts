/** Finds the command that a person types in another terminal to call this program. Pure. */
import { relative } from "node:path";
import { namesListen } from "../../config/check/server-environment.ts";
import type { Environment } from "../../model/files.ts";

/**
 * Returns the command. `script` is the path of the running program. If the environment names the
 * server's address, the demo runs in the container of compose.yaml and is called through Docker
 * Compose.
 */
export function ownCommand(
  script: string,
  { env, folder }: { readonly env: Environment; readonly folder: string },
): string {
  if (namesListen(env)) return "docker compose exec demo chirpwatch";
  if (env["npm_command"] === "exec") return "npx chirpwatch";
  return script.endsWith("main.js") ? `node ${relative(folder, script)}` : "chirpwatch";
}
