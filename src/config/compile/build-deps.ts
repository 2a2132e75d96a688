/** What the builders of the configuration share: the registries, the folders, and the report. */
import type { Environment, Files } from "../../model/files.ts";
import type { SinkType } from "../../sinks/kind/sink-type.ts";
import type { WatchType } from "../../watches/watch-type.ts";
import type { Report } from "../report.ts";

export interface BuildDeps {
  readonly watchTypes: readonly WatchType<any>[];
  readonly sinkTypes: readonly SinkType<any>[];
  /** The folder against which relative paths in the file are resolved. */
  readonly folder: string;
  readonly files: Files;
  /** The environment, including the `.env` next to the file. */
  readonly env: Environment;
  /**
   * The programs that CHIRPWATCH_ALLOW_EXEC names. The variable is not read from a `.env` file next
   * to the configuration, because a person who can write that file can probably write the
   * configuration as well.
   */
  readonly allowedPrograms: ReadonlySet<string>;
  readonly report: Report;
  /** The current time. Dates before it never come again. */
  readonly nowMs: number;
  readonly noteFile: (path: string) => void;
  /**
   * The absolute paths of the files that `noteFile` was called with so far, and those of the
   * configuration.
   */
  readonly notedFiles: ReadonlySet<string>;
  readonly lenient: boolean;
}
