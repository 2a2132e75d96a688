/** Files and environment as ports, for the rooms that read configuration. */
export interface Files {
  /**
   * UTF-8 text. @throws an Error with `code` ENOENT, EACCES … as Node does; `denial` is a sentence
   * with the cure, where it is known.
   */
  readText(path: string): Promise<string>;
  size(path: string): Promise<number>;
  /**
   * A text that differs once the file was written, replaced or linked elsewhere: cheaper than
   * reading it. Absent where that cannot be determined.
   */
  stamp?(path: string): Promise<string>;
  exists(path: string): Promise<boolean>;
  isDirectory(path: string): Promise<boolean>;
  list(path: string): Promise<readonly string[]>;
}

export type Environment = Readonly<Record<string, string | undefined>>;
