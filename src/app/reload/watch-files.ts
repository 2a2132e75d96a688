/**
 * Notices that a file of the configuration changed: by content, so that swapped symlinks (mounted
 * secrets) count and touching does not.
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
  /** Absolute paths, asked again at every look: a reload can change them. */
  readonly paths: () => readonly string[];
  /**
   * Called once per change, when two looks in a row saw the same new content: an editor may be
   * half-way through.
   */
  readonly onChange: () => Promise<void>;
}

/** Returns what stops it. */
export function watchFiles(deps: WatchFilesDeps): Cancel {
  let settled: Prints | undefined;
  let last: Prints | undefined;

  const known = new Map<string, { readonly stamp: string; readonly print: string }>();
  /**
   * Hash of one file, read only when it may have changed: the file of ten thousand watches is a
   * megabyte.
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
  /** By path; a path in `seen` is as it was then. */
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
      // The new configuration may name other files. What changed while it became active was perhaps
      // not read any more: the next checks find it.
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

/** Hash of each file by its path. */
type Prints = ReadonlyMap<string, string>;

const isSame = (one: Prints, other: Prints | undefined): boolean =>
  one.size === other?.size && [...one].every(([path, print]) => other.get(path) === print);
