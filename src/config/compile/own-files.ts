/** Files of the daemon's own, which no sink may write into: the configuration, what it names, the state and what lies beside that. */
import type { Files } from "../../model/files.ts";
import type { SinkType } from "../../sinks/kind/sink-type.ts";
import type { SinkConfig } from "../config.ts";
import type { Report } from "../report.ts";
import { type Entry, findNode } from "../tree.ts";

/** What lies beside a state: SQLite's own files, the lock, and the control socket. */
const BESIDE_STATE = ["", "-wal", "-shm", "-journal", ".lock", ".sock"];

export interface OwnFiles {
  /** Absolute paths of all that was read, `.env` among them whether it is there or not. */
  readonly read: ReadonlySet<string>;
  readonly statePath: string;
}

export interface FileSinks {
  readonly entries: readonly Entry[];
  readonly sinks: readonly SinkConfig[];
  readonly sinkTypes: readonly SinkType<any>[];
}

/** Complains of sinks that would write into one of them, also through a link. */
export async function refuseOwnFiles(
  { entries, sinks, sinkTypes }: FileSinks,
  { read, statePath }: OwnFiles,
  { files, report }: { readonly files: Files; readonly report: Report },
): Promise<void> {
  const own = new Map<string, string>();
  for (const path of read) own.set(path, "a file of this configuration");
  for (const ending of BESIDE_STATE) own.set(`${statePath}${ending}`, ending === "" ? "the state" : "a file of the state");
  for (const { name, type, settings } of sinks) {
    const keys = sinkTypes.find((one) => one.type === type)?.paths ?? [];
    const entry = entries.find(({ key }) => key === name);
    for (const key of keys) {
      const path = (settings as Readonly<Record<string, unknown>> | undefined)?.[key];
      if (entry === undefined || typeof path !== "string") continue;
      const what = own.get(path) ?? (await linkedTo(path, own, files));
      if (what === undefined) continue;
      const { node, place } = findNode(entry.node, [key], entry.keyPlace);
      report.error(node?.place ?? place, "file-in-use", `\`${key}\`: ${path} is ${what}: name a file of its own`);
    }
  }
}

/** What the path is another name of. */
async function linkedTo(path: string, own: ReadonlyMap<string, string>, files: Files): Promise<string | undefined> {
  const stampOf = (one: string): Promise<string | undefined> => files.stamp?.(one).catch(() => undefined) ?? Promise.resolve(undefined);
  const stamp = await stampOf(path);
  if (stamp === undefined) return undefined;
  for (const [one, what] of own) if ((await stampOf(one)) === stamp) return what;
  return undefined;
}
