/** `{ file: path }` inside `accounts`: one account a line, `#` starts a comment. The lines keep their own places for later complaints. */
import { isAbsolute, join } from "node:path";
import type { Files } from "../../model/files.ts";
import { readErrorText } from "../text/read-files.ts";
import type { Report } from "../report.ts";
import { childOf, type Entry, entryOf, type MapNode, type Node, type SourceFile, withEntries } from "../tree.ts";
import { MAX_FILE_BYTES } from "../text/yaml-limits.ts";

export interface AccountFileDeps {
  readonly folder: string;
  readonly files: Files;
  readonly report: Report;
  readonly noteFile: (path: string) => void;
}

/** The watch with the files' lines in place of `{ file }`. */
export async function expandAccountFiles(watch: MapNode, deps: AccountFileDeps): Promise<MapNode> {
  const entry = entryOf(watch, "accounts");
  if (entry?.node.kind !== "list") return watch;
  const items = await Promise.all(entry.node.items.map((item) => expandItem(item, deps)));
  return withEntries(watch, { accounts: { ...entry, node: { ...entry.node, items: items.flat() } } satisfies Entry });
}

async function expandItem(item: Node, deps: AccountFileDeps): Promise<readonly Node[]> {
  const given = item.kind === "map" && item.entries.size === 1 ? childOf(item, "file") : undefined;
  if (given?.kind !== "scalar" || typeof given.value !== "string" || given.unresolved) return [item];
  const path = isAbsolute(given.value) ? given.value : join(deps.folder, given.value);
  try {
    if ((await deps.files.size(path)) > MAX_FILE_BYTES) throw new Error("more than 1 MB");
    const text = await deps.files.readText(path);
    deps.noteFile(path);
    return linesOf({ shown: given.value, path, text });
  } catch (error) {
    deps.report.error(given.place, "accounts-file", `accounts: ${given.value}: ${readErrorText(error)}`);
    // The list is not empty because of it: nothing more is to be said.
    return [{ ...given, value: "", source: "", unresolved: true }];
  }
}

function linesOf(file: SourceFile): readonly Node[] {
  const found: Node[] = [];
  for (const match of file.text.matchAll(/^[ \t]*([^#\s][^#\r\n]*)/gm)) {
    const source = (match[1] ?? "").trim();
    const offset = match.index + match[0].indexOf(source);
    found.push({ kind: "scalar", place: { file, offset }, value: source, source, origin: "quoted" });
  }
  return found;
}
