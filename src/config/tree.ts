/**
 * The configuration as a tree that knows the place of everything, and lookups in the tree.
 * `parse-yaml.ts` creates it.
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
   * Where the value comes from. This decides which other type it may stand for, and whether a
   * secret is literal.
   */
  readonly origin: "plain" | "quoted" | "variable" | "file";
  /** Whether a variable or file that the value needs is missing, which was reported already. */
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
 * Returns a map with some entries replaced, added at the end in the given order, or removed if
 * `undefined`.
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
   * The place of the key for entries of a map, of the value for items of a list. If the path leads
   * nowhere, the place of the deepest part that exists.
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
 * Whether a key is ignored. Keys such as `x-…` belong to the user, except among request headers,
 * whose names often begin like that.
 */
const isIgnored = (key: string, parent: string): boolean =>
  key.startsWith("x-") && parent !== "headers";

/**
 * Returns plain JavaScript values, without `x-…` keys. `parent` is the key that contains `node`.
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

/** Returns the tree with every scalar replaced. */
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

/** Whether a scalar anywhere in the node has no value yet. */
export function isUnresolved(node: Node | undefined): boolean {
  if (node === undefined) return false;
  if (node.kind === "scalar") return node.unresolved === true;
  if (node.kind === "list") return node.items.some(isUnresolved);
  return [...node.entries.values()].some((entry) => isUnresolved(entry.node));
}

/**
 * Returns the place inside a value if the file contains it as it is, on one line and with nothing
 * escaped; otherwise the place of the value.
 */
export function offsetInto(place: Place, text: string, offset: number): Place {
  const start = /["']/.test(place.file.text[place.offset] ?? "") ? place.offset + 1 : place.offset;
  return place.file.text.startsWith(text, start)
    ? { file: place.file, offset: start + offset }
    : place;
}
