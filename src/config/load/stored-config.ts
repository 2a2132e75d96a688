/**
 * Writes a loaded configuration as one text without its secrets. Lists from other files are
 * included, so that the configuration can be loaded again after those files have changed. The text
 * is JSON, which is also valid YAML.
 */
import { ownValue } from "../../model/own-value.ts";
import { yieldAfter } from "../../model/steps.ts";
import type { SinkType } from "../../sinks/kind/sink-type.ts";
import { expandDefaultLists, expandListFiles, type ListFileDeps } from "../compile/list-files.ts";
import { createReport } from "../report.ts";
import {
  childOf,
  entriesOf,
  type Entry,
  mapScalars,
  type MapNode,
  type Node,
  type ScalarNode,
  valueOf,
  withEntries,
} from "../tree.ts";

/**
 * Replaces each secret. No environment has this variable, so loading the text leaves the secret
 * unresolved.
 */
const SECRET = "${CHIRPWATCH_REMOVED_SECRET}";

/**
 * The removed keys of each section. Their values are secrets, or addresses that may contain one,
 * and a backtest needs none of them.
 */
const REMOVED: Readonly<Record<string, readonly string[]>> = {
  api: ["base_url", "key", "key_file", "keys"],
  state: ["path", "url", "url_file"],
  server: ["listen", "token", "token_file", "read_token", "read_token_file"],
  ops: ["heartbeat"],
};

interface StoredDeps extends Pick<ListFileDeps, "folder" | "files"> {
  readonly sinkTypes: readonly SinkType<any>[];
}

/**
 * Returns the text. `root` is a configuration that was checked and whose variables were replaced.
 */
export async function storedConfig(
  root: MapNode,
  { sinkTypes, ...files }: StoredDeps,
): Promise<string> {
  const lists = { ...files, report: createReport([]), noteFile: () => undefined };
  const expanded = await expandDefaultLists(root, lists);
  const watches = new Map<string, Entry>();
  for (const entry of entriesOf(childOf(expanded, "watches")))
    watches.set(entry.key, {
      ...entry,
      node: entry.node.kind === "map" ? await expandListFiles(entry.node, lists) : entry.node,
    });
  const many = [...watches.keys()];
  await yieldAfter(many);
  const sections = new Map<string, Entry>();
  for (const [key, entry] of expanded.entries) {
    const own = key === "watches" ? withMap(entry, watches) : entry;
    sections.set(key, {
      ...own,
      node: literal(withoutKeys(own.node, ownValue(REMOVED, key) ?? [])),
    });
  }
  await yieldAfter(many);
  return JSON.stringify(hideSecrets(valueOf({ ...expanded, entries: sections }), sinkTypes));
}

const withMap = (entry: Entry, entries: ReadonlyMap<string, Entry>): Entry =>
  entry.node.kind === "map" ? { ...entry, node: { ...entry.node, entries } } : entry;

const withoutKeys = (node: Node, keys: readonly string[]): Node =>
  node.kind === "map"
    ? withEntries(node, Object.fromEntries(keys.map((key) => [key, undefined])))
    : node;

/**
 * Returns the value so that loading it again changes nothing: a `$` is escaped, because it would
 * begin a variable, and a number that is too long for a number type becomes a text with all its
 * digits.
 */
const literal = (node: Node): Node =>
  mapScalars(node, (scalar: ScalarNode) => {
    const { value, source } = scalar;
    if (typeof value === "number" && !Number.isSafeInteger(value) && /^\d+$/.test(source))
      return { ...scalar, value: source };
    return typeof value === "string" ? { ...scalar, value: value.replaceAll("$", "$$$$") } : scalar;
  });

type Values = Record<string, unknown>;

const isMap = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function hideSecrets(root: unknown, sinkTypes: readonly SinkType<any>[]): unknown {
  if (!isMap(root)) return root;
  const { sinks, defaults, watches } = root;
  const secretsOf = (type: unknown) => sinkTypes.find((one) => one.type === type)?.secrets ?? [];
  if (isMap(sinks))
    for (const sink of Object.values(sinks)) if (isMap(sink)) hideIn(sink, secretsOf(sink["type"]));
  const defaultSinks = isMap(defaults) ? defaults["sink"] : undefined;
  if (isMap(defaultSinks))
    for (const [type, sink] of Object.entries(defaultSinks))
      if (isMap(sink)) hideIn(sink, secretsOf(type));
  const ofWatches = isMap(watches) ? Object.values(watches) : [];
  for (const watch of [...ofWatches, isMap(defaults) ? defaults["watch"] : undefined])
    if (isMap(watch) && isMap(watch["enrich"])) hideHeaders(watch["enrich"], "removed");
  return root;
}

function hideIn(sink: Values, secrets: readonly string[]): void {
  for (const key of secrets) {
    if (sink[key] === undefined && sink[`${key}_file`] === undefined) continue;
    delete sink[`${key}_file`];
    sink[key] = SECRET;
  }
  hideHeaders(sink, SECRET);
}

function hideHeaders(map: Values, text: string): void {
  const { headers } = map;
  if (isMap(headers)) for (const name of Object.keys(headers)) headers[name] = text;
}
