/**
 * Expands `{ file: path }` in `accounts` and the lists of `ignore`: the file has one item per line,
 * and `#` starts a comment. Later errors about an item name its line in that file.
 */
import { isAbsolute, join } from "node:path";
import type { Files } from "../../model/files.ts";
import { readErrorText } from "../text/read-files.ts";
import type { Report } from "../report.ts";
import {
  childOf,
  type Entry,
  entryOf,
  type MapNode,
  type Node,
  type SourceFile,
  withEntries,
} from "../tree.ts";
import { MAX_FILE_BYTES } from "../text/yaml-limits.ts";

export interface ListFileDeps {
  readonly folder: string;
  readonly files: Files;
  readonly report: Report;
  readonly noteFile: (path: string) => void;
}

/** Returns the watch with the lines of the files in place of `{ file }`. */
export async function expandListFiles(watch: MapNode, deps: ListFileDeps): Promise<MapNode> {
  const expanded = await expandLists(watch, ["accounts"], deps);
  const ignore = entryOf(expanded, "ignore");
  if (ignore?.node.kind !== "map") return expanded;
  const node = await expandLists(ignore.node, ["authors", "words"], deps);
  return withEntries(expanded, { ignore: { ...ignore, node } satisfies Entry });
}

/** Expands the files in `defaults.watch`, once for all watches that inherit its lists. */
export async function expandDefaultLists(root: MapNode, deps: ListFileDeps): Promise<MapNode> {
  const defaults = entryOf(root, "defaults");
  const watch = defaults?.node.kind === "map" ? entryOf(defaults.node, "watch") : undefined;
  if (defaults?.node.kind !== "map" || watch?.node.kind !== "map") return root;
  const node = withEntries(defaults.node, {
    watch: { ...watch, node: await expandListFiles(watch.node, deps) },
  });
  return withEntries(root, { defaults: { ...defaults, node } });
}

async function expandLists(
  map: MapNode,
  keys: readonly string[],
  deps: ListFileDeps,
): Promise<MapNode> {
  const entries = await Promise.all(
    keys.map(async (key): Promise<Record<string, Entry>> => {
      const entry = entryOf(map, key);
      if (entry?.node.kind !== "list") return {};
      const items = await Promise.all(entry.node.items.map((item) => expandItem(item, key, deps)));
      return { [key]: { ...entry, node: { ...entry.node, items: items.flat() } } };
    }),
  );
  return withEntries(map, Object.assign({}, ...entries) as Record<string, Entry>);
}

async function expandItem(item: Node, key: string, deps: ListFileDeps): Promise<readonly Node[]> {
  const given = item.kind === "map" && item.entries.size === 1 ? childOf(item, "file") : undefined;
  if (given?.kind !== "scalar" || typeof given.value !== "string" || given.unresolved)
    return [item];
  const path = isAbsolute(given.value) ? given.value : join(deps.folder, given.value);
  try {
    if ((await deps.files.size(path)) > MAX_FILE_BYTES) throw new Error("more than 1 MB");
    const text = await deps.files.readText(path);
    deps.noteFile(path);
    return linesOf({ shown: given.value, path, text });
  } catch (error) {
    deps.report.error(
      given.place,
      "accounts-file",
      `${key}: ${given.value}: ${readErrorText(error)}`,
    );
    // This unresolved item takes the place of the file's items, so that the list is not also
    // reported as empty.
    return [{ ...given, value: "", source: "", unresolved: true }];
  }
}

function linesOf(file: SourceFile): readonly Node[] {
  const found: Node[] = [];
  for (const match of file.text.matchAll(/^[ \t]*([^#\s][^#\r\n]*)/gm)) {
    const source = (match[1] ?? "").trim();
    const offset = match.index + match[0].indexOf(source);
    found.push({
      kind: "scalar",
      place: { file, offset },
      value: source,
      source,
      origin: "quoted",
    });
  }
  return found;
}
