/**
 * Finds the daemon that a command is about: the one whose state the configuration names. The file
 * need not be valid, because a running daemon keeps the configuration that it loaded before. Only
 * commands that need more than the place of the state report what is wrong with the file.
 */
import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import type { StateAddress } from "../../model/postgres-address.ts";
import { formatIssue } from "../../config/report.ts";
import { findState } from "../../config/text/state-path.ts";
import { type CliContext, loadFrom, orThrow } from "../terminal/context.ts";
import { plural } from "../terminal/table.ts";

export interface DaemonPlace {
  /**
   * Where the state is. If the file is invalid, this comes from the part of it that can be read.
   */
  readonly state: StateAddress;
  /** Returns the configuration. @throws ExitError with every error of the file */
  readonly config: () => Config;
  /** The first error of the file and how many there are; undefined if the file is valid. */
  readonly fault: string | undefined;
}

export async function findDaemon(context: CliContext, configPath: string): Promise<DaemonPlace> {
  const loaded = await loadFrom(context, configPath, { lenientSecrets: true });
  if (loaded.ok)
    return { state: loaded.config.state, config: () => loaded.config, fault: undefined };
  const { files, env } = context;
  const state = await findState({ path: resolve(configPath), files, env });
  const errors = loaded.issues.filter(({ severity }) => severity === "error");
  const [first] = errors.map(formatIssue);
  const fault =
    errors.length > 1 ? `${first} (${plural(errors.length, "error")} in all)` : (first ?? "");
  return { state, config: () => orThrow(loaded), fault };
}
