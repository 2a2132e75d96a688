/**
 * Starts the bundled sandbox on a free port of this machine, to serve as the daemon's data service.
 */
import type { Config } from "../../config/config.ts";
import type { Log } from "../../model/log.ts";
import { type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import type { CliContext } from "../terminal/context.ts";

export async function startEmbeddedSandbox(
  context: CliContext,
  config: Config,
  log: Log,
): Promise<Sandbox> {
  const sandbox = await startSandbox({ clock: context.clock, keys: [config.api.key] });
  log.info("api.base_url is sandbox: every tweet is invented", { url: sandbox.url });
  return sandbox;
}
