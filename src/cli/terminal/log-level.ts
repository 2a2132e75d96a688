/** Reads the log level from the environment. */
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Environment } from "../../model/files.ts";
import type { LogLevel } from "../../runtime/logger.ts";

const LEVELS = ["debug", "info", "warn", "error", "silent"] as const satisfies readonly LogLevel[];
const DEFAULT: LogLevel = "info";

/**
 * Returns the level. An empty variable counts as not set, because compose files pass variables on
 * that way. @throws ExitError LOG_LEVEL_UNKNOWN
 */
export function readLogLevel(env: Environment): LogLevel {
  const written = env["CHIRPWATCH_LOG_LEVEL"]?.trim() ?? "";
  const level = LEVELS.find((each) => each === written.toLowerCase());
  if (level !== undefined || written === "") return level ?? DEFAULT;
  throw new ExitError(
    EXIT.badConfig,
    "LOG_LEVEL_UNKNOWN",
    `CHIRPWATCH_LOG_LEVEL is "${written}", which is not a log level`,
    {
      hint: `Write ${LEVELS.join(", ")}, or leave it empty for ${DEFAULT}.`,
    },
  );
}
