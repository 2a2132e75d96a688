/** Files and environment as ports, for the code that reads configuration. */
export interface Files {
  /**
   * Returns the file as UTF-8 text.
   * @throws an Error with `code` ENOENT, EACCES … as Node does; its `denial` is a sentence with the
   * remedy, if it is known
   */
  readText(path: string): Promise<string>;
  size(path: string): Promise<number>;
  /**
   * Returns a text that changes when the file is written, replaced or linked elsewhere. Getting it
   * is cheaper than reading the file. Absent if that is not possible.
   */
  stamp?(path: string): Promise<string>;
  exists(path: string): Promise<boolean>;
  isDirectory(path: string): Promise<boolean>;
  list(path: string): Promise<readonly string[]>;
  /** Returns how many bytes the volume of a file has left. Absent if that cannot be known. */
  freeBytes?(path: string): Promise<number>;
}

export type Environment = Readonly<Record<string, string | undefined>>;
