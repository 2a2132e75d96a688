/** A log that says nothing. */
import type { Log } from "../src/model/log.ts";

export const SILENT_LOG: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => SILENT_LOG,
};
