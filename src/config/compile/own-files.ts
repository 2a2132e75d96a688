/**
 * Finds the daemon's own files, to which no sink may write: the configuration, the files that it
 * names, the state, and the files next to the state.
 */
import type { Files } from "../../model/files.ts";
import type { SinkType } from "../../sinks/kind/sink-type.ts";
import type { SinkConfig } from "../config.ts";
import type { Report } from "../report.ts";
import { type Entry, findNode } from "../tree.ts";

/**
 * The endings of the files next to a state file: SQLite's files, the lock, and the control socket.
 */
const BESIDE_STATE = ["", "-wal", "-shm", "-journal", ".lock", ".sock"];

export interface OwnFiles {
  /** The absolute paths of all files that were read, including `.env` even if it does not exist. */
  readonly read: ReadonlySet<string>;
  readonly statePath: string;
}

export interface FileSinks {
  readonly entries: readonly Entry[];
  readonly sinks: readonly SinkConfig[];
  readonly sinkTypes: readonly SinkType<any>[];
}

/** Reports sinks that would write to one of the daemon's own files, even through a link. */
export async function refuseOwnFiles(
  { entries, sinks, sinkTypes }: FileSinks,
  { read, statePath }: OwnFiles,
  { files, report }: { readonly files: Files; readonly report: Report },
): Promise<void> {
  const own = new Map<string, string>();
  for (const path of read) own.set(path, "a file of this configuration");
  for (const ending of BESIDE_STATE)
    own.set(`${statePath}${ending}`, ending === "" ? "the state" : "a file of the state");
  for (const { name, type, settings } of sinks) {
    const sinkType = sinkTypes.find((one) => one.type === type);
    const keys = sinkType?.paths ?? [];
    const entry = entries.find(({ key }) => key === name);
    for (const key of keys) {
      const path = (settings as Readonly<Record<string, unknown>> | undefined)?.[key];
      if (entry === undefined || typeof path !== "string") continue;
      const rotated = sinkType?.rotatedPaths?.(settings) ?? [];
      const problem =
        (await inUse(path, own, files)) ?? rotatedInUse(rotated, own, pathsOf(sinks, sinkTypes));
      if (problem === undefined) continue;
      const { node, place } = findNode(entry.node, [key], entry.keyPlace);
      report.error(
        node?.place ?? place,
        "file-in-use",
        `\`${key}\`: ${problem}: name a file of its own`,
      );
    }
  }
}

async function inUse(
  path: string,
  own: ReadonlyMap<string, string>,
  files: Files,
): Promise<string | undefined> {
  const what = own.get(path) ?? (await linkedTo(path, own, files));
  return what === undefined ? undefined : `${path} is ${what}`;
}

/**
 * Returns a problem if rotating a sink's file would replace one of the daemon's own files or
 * another sink's file. Links need not be followed, because only the link would be replaced.
 */
function rotatedInUse(
  rotated: readonly string[],
  own: ReadonlyMap<string, string>,
  ofSinks: ReadonlyMap<string, string>,
): string | undefined {
  for (const path of rotated) {
    const what = own.get(path) ?? ofSinks.get(path);
    if (what !== undefined) return `its rotated file ${path} is ${what}`;
  }
  return undefined;
}

/** Returns the paths of the files to which sinks write, each with a text that names its sink. */
function pathsOf(
  sinks: readonly SinkConfig[],
  sinkTypes: readonly SinkType<any>[],
): ReadonlyMap<string, string> {
  return new Map(
    sinks.flatMap(({ name, type, settings }) =>
      (sinkTypes.find((one) => one.type === type)?.paths ?? []).flatMap((key) => {
        const path = (settings as Readonly<Record<string, unknown>> | undefined)?.[key];
        return typeof path === "string" ? [[path, `the file of the sink ${name}`] as const] : [];
      }),
    ),
  );
}

/**
 * If the path is a link to one of the daemon's own files, returns what the daemon uses that file
 * for; otherwise undefined.
 */
async function linkedTo(
  path: string,
  own: ReadonlyMap<string, string>,
  files: Files,
): Promise<string | undefined> {
  const stampOf = (one: string): Promise<string | undefined> =>
    files.stamp?.(one).catch(() => undefined) ?? Promise.resolve(undefined);
  const stamp = await stampOf(path);
  if (stamp === undefined) return undefined;
  for (const [one, what] of own) if ((await stampOf(one)) === stamp) return what;
  return undefined;
}
