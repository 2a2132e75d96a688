/**
 * What the builders of the configuration share: the registries, the folders, and where findings go.
 */
import type { Environment, Files } from "../../model/files.ts";
import type { SinkType } from "../../sinks/kind/sink-type.ts";
import type { WatchType } from "../../watches/watch-type.ts";
import type { Report } from "../report.ts";

export interface BuildDeps {
  readonly watchTypes: readonly WatchType<any>[];
  readonly sinkTypes: readonly SinkType<any>[];
  /** Paths in the file are relative to it. */
  readonly folder: string;
  readonly files: Files;
  /** With the `.env` beside the file. */
  readonly env: Environment;
  /**
   * Programs that CHIRPWATCH_ALLOW_EXEC names. The `.env` beside the file does not count: whoever
   * writes that may write the file too.
   */
  readonly allowedPrograms: ReadonlySet<string>;
  readonly report: Report;
  /** Dates that have passed by then never come again. */
  readonly nowMs: number;
  readonly noteFile: (path: string) => void;
  /** Absolute paths of the files that were noted so far, those of the configuration among them. */
  readonly notedFiles: ReadonlySet<string>;
  readonly lenient: boolean;
}
