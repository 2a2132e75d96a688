/** A log that nobody reads. */
import type { Log } from "../../../src/model/log.ts";

const nothing = () => undefined;

export const NO_LOG: Log = {
  ...{ debug: nothing, info: nothing, warn: nothing, error: nothing },
  child: () => NO_LOG,
};
