/**
 * The configuration as a tree that remembers where everything stands. Owns lookups in it; how YAML
 * becomes one is parse-yaml.ts.
 */

/** One file that was read. `shown` is its name in messages, `path` its absolute path. */
export interface SourceFile {
  readonly shown: string;
  readonly path: string;
  readonly text: string;
}

export interface Place {
  readonly file: SourceFile;
  /** Into `file.text`. */
  readonly offset: number;
}

export interface ScalarNode {
  readonly kind: "scalar";
  readonly place: Place;
  readonly value: string | number | boolean | null;
  /** The digits and letters as written, without quotes: ids beyond 2^53 are whole here. */
  readonly source: string;
  /**
   * What it was read from: decides which other type it may stand for, and whether a secret is
   * literal.
   */
  readonly origin: "plain" | "quoted" | "variable" | "file";
  /** A variable or a file behind it is missing and was complained about already. */
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

/** What a key holds when it is a map; an empty list of entries otherwise. */
export const entriesOf = (node: Node | undefined): readonly Entry[] =>
  node?.kind === "map" ? [...node.entries.values()] : [];

/**
 * A map with some entries replaced, added (in the order given, at the end) or, where `undefined`,
 * removed.
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
   * Of the key for entries of a map, of the value for items of a list. The deepest that exists when
   * the path leads nowhere.
   */
  readonly place: Place;
}

/** Follows a path as far as it goes. `place` is where `root` stands itself. */
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
 * `x-…` keys are the user's own, but among request headers, whose names begin so more often than
 * not.
 */
const isIgnored = (key: string, parent: string): boolean =>
  key.startsWith("x-") && parent !== "headers";

/** Plain JavaScript values, without `x-…` keys. `parent` is the key under which `node` stands. */
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

/** The same tree with every scalar replaced. */
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

/** Whether a scalar anywhere below is still without its value. */
export function isUnresolved(node: Node | undefined): boolean {
  if (node === undefined) return false;
  if (node.kind === "scalar") return node.unresolved === true;
  if (node.kind === "list") return node.items.some(isUnresolved);
  return [...node.entries.values()].some((entry) => isUnresolved(entry.node));
}

/** The place inside a value, where the file holds it as it is: on one line, nothing escaped. */
export function offsetInto(place: Place, text: string, offset: number): Place {
  const start = /["']/.test(place.file.text[place.offset] ?? "") ? place.offset + 1 : place.offset;
  return place.file.text.startsWith(text, start)
    ? { file: place.file, offset: start + offset }
    : place;
}
