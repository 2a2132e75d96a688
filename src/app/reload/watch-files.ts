/**
 * Detects that a file of the configuration changed. It compares contents, so a swapped symlink
 * counts, as for mounted secrets, and a changed time stamp alone does not.
 */
import { repeat } from "../../engine/health/repeat.ts";
import type { Cancel, Clock } from "../../model/clock.ts";
import type { Files } from "../../model/files.ts";
import type { Hash } from "../../model/hash.ts";

const CHECK_EVERY_MS = 2_000;

export interface WatchFilesDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly hash: Hash;
  /** Returns absolute paths. Called at every check, because a reload can change them. */
  readonly paths: () => readonly string[];
  /**
   * Called once per change, when two checks in a row found the same new content, because an editor
   * may have written only half of it.
   */
  readonly onChange: () => Promise<void>;
}

/** Starts to watch the files. Returns a function that stops it. */
export function watchFiles(deps: WatchFilesDeps): Cancel {
  let settled: Prints | undefined;
  let last: Prints | undefined;

  const known = new Map<string, { readonly stamp: string; readonly print: string }>();
  /**
   * Returns the hash of one file. Reads the file only if it may have changed, because the file of
   * ten thousand watches is a megabyte.
   */
  const printOf = async (path: string): Promise<string> => {
    const stamp = await deps.files.stamp?.(path).catch((error: unknown) => String(error));
    const before = known.get(path);
    if (stamp !== undefined && stamp === before?.stamp) return before.print;
    const print = deps.hash(
      await deps.files.readText(path).catch((error: unknown) => String(error)),
    );
    if (stamp !== undefined) known.set(path, { stamp, print });
    return print;
  };
  /** Returns the hashes by path. A path in `seen` keeps the hash that it has there. */
  const printsOf = async (seen: Prints = new Map()): Promise<Prints> => {
    const paths = deps.paths();
    const prints = await Promise.all(paths.map(async (path) => seen.get(path) ?? printOf(path)));
    return new Map(paths.map((path, i) => [path, prints[i] ?? ""]));
  };

  const check = async (): Promise<void> => {
    const now = await printsOf();
    settled ??= now;
    if (!isSame(now, settled) && isSame(now, last)) {
      await deps.onChange();
      // The new configuration may name other files. A file that changed while it became active was
      // perhaps not read again, so the next checks must find that change.
      settled = await printsOf(now);
    }
    last = now;
  };

  void check();
  return repeat({
    clock: deps.clock,
    everyMs: CHECK_EVERY_MS,
    work: check,
    onError: () => undefined,
  });
}

/** The hash of each file by its path. */
type Prints = ReadonlyMap<string, string>;

const isSame = (one: Prints, other: Prints | undefined): boolean =>
  one.size === other?.size && [...one].every(([path, print]) => other.get(path) === print);
