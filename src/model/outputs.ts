/** Ways out of this machine's process other than HTTP, as one port for the sinks. Implemented in runtime/. */

/** Whole lines for the end of a file. */
export interface AppendRequest {
  /** Absolute. The file and its folder are created when they are missing, readable by this user only. */
  readonly path: string;
  /** Ends in a newline. */
  readonly text: string;
  /** The file is rotated before it would grow beyond this many bytes: `path` becomes `path.1`, `path.1` becomes `path.2`. */
  readonly maxBytes: number;
  /** Rotated files that are kept. */
  readonly keep: number;
}

export interface Outputs {
  /** On the disk when it returns. A line that an earlier process left unfinished is ended first. @throws an Error with `code` EACCES, ENOSPC … as Node does. */
  append(request: AppendRequest): Promise<void>;
}
