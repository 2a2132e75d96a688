/** Returns the command with which a person calls this program from another terminal. Pure. */
import { relative } from "node:path";
import { namesListen } from "../../config/compile/server-environment.ts";
import type { Environment } from "../../model/files.ts";

/**
 * `script`: the path of the program that runs. In the container of compose.yaml, which names the
 * server's address, it is called through Docker Compose.
 */
export function ownCommand(
  script: string,
  { env, folder }: { readonly env: Environment; readonly folder: string },
): string {
  if (namesListen(env)) return "docker compose exec demo chirpwatch";
  if (env["npm_command"] === "exec") return "npx chirpwatch";
  return script.endsWith("main.js") ? `node ${relative(folder, script)}` : "chirpwatch";
}
