/** Notices that a file of the configuration changed: by content, so that swapped symlinks (mounted secrets) count and touching does not. */
import type { Cancel, Clock } from "../model/clock.ts";
import type { Files } from "../model/files.ts";
import type { Hash } from "../model/hash.ts";

const LOOK_EVERY_MS = 2_000;

export interface WatchFilesDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly hash: Hash;
  /** Absolute paths, asked again at every look: a reload can change them. */
  readonly paths: () => readonly string[];
  /** Called once per change, when two looks in a row saw the same new content: an editor may be half-way through. */
  readonly onChange: () => Promise<void>;
}

/** Returns what stops it. */
export function watchFiles(deps: WatchFilesDeps): Cancel {
  let cancel: Cancel | undefined;
  let isStopped = false;
  let settled: string | undefined;
  let last: string | undefined;

  const known = new Map<string, { readonly stamp: string; readonly print: string }>();
  /** Hash of one file, read only when it may have changed: the file of ten thousand watches is a megabyte. */
  const printOf = async (path: string): Promise<string> => {
    const stamp = await deps.files.stamp?.(path).catch((error: unknown) => String(error));
    const before = known.get(path);
    if (stamp !== undefined && stamp === before?.stamp) return before.print;
    const print = deps.hash(await deps.files.readText(path).catch((error: unknown) => String(error)));
    if (stamp !== undefined) known.set(path, { stamp, print });
    return print;
  };
  const fingerprint = async (): Promise<string> => {
    const paths = deps.paths();
    const prints = await Promise.all(paths.map(printOf));
    return paths.map((path, i) => `${path}\n${prints[i]}`).join("\n");
  };

  const look = async (): Promise<void> => {
    const now = await fingerprint();
    settled ??= now;
    if (now !== settled && now === last) {
      await deps.onChange();
      // The new configuration may name other files.
      settled = await fingerprint();
    }
    last = now;
  };

  const arm = () => {
    cancel = deps.clock.after(LOOK_EVERY_MS, () => {
      void look()
        .catch(() => undefined)
        .finally(() => {
          if (!isStopped) arm();
        });
    });
  };
  void look();
  arm();
  return () => {
    isStopped = true;
    cancel?.();
  };
}
