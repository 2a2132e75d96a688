/**
 * The parsed files as a tree in which every node knows its place in a file, and functions that read
 * the tree. `parse-yaml.ts` creates it.
 */

/** A file that was read. `shown` is its name in messages, `path` its absolute path. */
export interface SourceFile {
  readonly shown: string;
  readonly path: string;
  readonly text: string;
}

export interface Place {
  readonly file: SourceFile;
  /** The offset in `file.text`. */
  readonly offset: number;
}

export interface ScalarNode {
  readonly kind: "scalar";
  readonly place: Place;
  readonly value: string | number | boolean | null;
  /** The text as written, without quotes. Ids beyond 2^53 are exact here. */
  readonly source: string;
  /**
   * Where the value comes from: YAML with or without quotes, a variable, or a file. This decides
   * whether it may be converted to another type, and whether a secret is written in the
   * configuration.
   */
  readonly origin: "plain" | "quoted" | "variable" | "file";
  /**
   * Whether the value is missing, because its variable is not set or its file cannot be read. That
   * was reported before, so a missing value is not reported again.
   */
  readonly unresolved?: boolean;
}

export interface Entry {
  readonly key: string;
  readonly keyPlace: Place;
  readonly node: Node;
}

export interface MapNode {
  readonly kind: "map";
  readonly place: Place;
  readonly entries: ReadonlyMap<string, Entry>;
}

export interface ListNode {
  readonly kind: "list";
  readonly place: Place;
  readonly items: readonly Node[];
}

export type Node = ScalarNode | MapNode | ListNode;

export type Path = readonly (string | number)[];

export const entryOf = (node: Node | undefined, key: string): Entry | undefined =>
  node?.kind === "map" ? node.entries.get(key) : undefined;

export const childOf = (node: Node | undefined, key: string): Node | undefined =>
  entryOf(node, key)?.node;

/** Returns the entries of a map; none for any other node. */
export const entriesOf = (node: Node | undefined): readonly Entry[] =>
  node?.kind === "map" ? [...node.entries.values()] : [];

/**
 * Returns a copy of the map with changed entries. Entries with a new key are added at the end, and
 * a key whose change is `undefined` is removed.
 */
export function withEntries(
  map: MapNode,
  changes: Readonly<Record<string, Entry | undefined>>,
): MapNode {
  const entries = new Map(map.entries);
  for (const [key, entry] of Object.entries(changes)) {
    if (entry === undefined) entries.delete(key);
    else entries.set(key, entry);
  }
  return { ...map, entries };
}

export interface FoundEntry {
  readonly node: Node | undefined;
  /**
   * The place of the key for an entry of a map, or of the value for an item of a list. If the path
   * does not exist, this is the place of the deepest part of it that does.
   */
  readonly place: Place;
}

/** Follows a path as far as it exists. `place` is the place of `root` itself. */
export function findNode(root: Node, path: Path, place: Place = root.place): FoundEntry {
  let node: Node | undefined = root;
  let at = place;
  for (const step of path) {
    const entry: Entry | undefined = entryOf(node, String(step));
    const item: Node | undefined =
      node?.kind === "list" && typeof step === "number" ? node.items[step] : undefined;
    node = entry?.node ?? item;
    if (node === undefined) return { node: undefined, place: at };
    at = entry?.keyPlace ?? node.place;
  }
  return { node, place: at };
}

/**
 * Whether a key is ignored. Users may add keys that begin with `x-` for purposes of their own,
 * except among request headers, whose names often begin with `x-`.
 */
const isIgnored = (key: string, parent: string): boolean =>
  key.startsWith("x-") && parent !== "headers";

/**
 * Returns the node as plain JavaScript values, without ignored keys. `parent` is the key that
 * contains `node`.
 */
export function valueOf(node: Node, parent = ""): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map((item) => valueOf(item));
  const value: Record<string, unknown> = {};
  for (const { key, node: child } of node.entries.values()) {
    if (isIgnored(key, parent)) continue;
    Object.defineProperty(value, key, {
      value: valueOf(child, key),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return value;
}

/**
 * Returns a copy of the tree in which `change` has replaced every scalar. Ignored keys stay as they
 * are.
 */
export function mapScalars(node: Node, change: (scalar: ScalarNode) => Node, parent = ""): Node {
  if (node.kind === "scalar") return change(node);
  if (node.kind === "list")
    return { ...node, items: node.items.map((item) => mapScalars(item, change)) };
  const entries = new Map<string, Entry>();
  for (const [key, entry] of node.entries) {
    entries.set(
      key,
      isIgnored(key, parent) ? entry : { ...entry, node: mapScalars(entry.node, change, key) },
    );
  }
  return { ...node, entries };
}

/** Whether any scalar in the node lacks its value. */
export function isUnresolved(node: Node | undefined): boolean {
  if (node === undefined) return false;
  if (node.kind === "scalar") return node.unresolved === true;
  if (node.kind === "list") return node.items.some(isUnresolved);
  return [...node.entries.values()].some((entry) => isUnresolved(entry.node));
}

/**
 * Returns the place of an offset in a value. If the file does not contain the value letter by
 * letter, on one line and without escapes, returns the place where the value begins.
 */
export function offsetInto(place: Place, text: string, offset: number): Place {
  const start = /["']/.test(place.file.text[place.offset] ?? "") ? place.offset + 1 : place.offset;
  return place.file.text.startsWith(text, start)
    ? { file: place.file, offset: start + offset }
    : place;
}
