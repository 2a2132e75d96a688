/**
 * Builds `api.keys`: reads the secret of each item, and refuses repeated keys. `settings-schema.ts`
 * defines the settings of a key.
 */
import type { z } from "zod";
import type { BuildDeps } from "./build-deps.ts";
import type { KeyConfig } from "../config.ts";
import type { Report } from "../report.ts";
import { requiring, resolveSecrets, type SecretMap } from "./secret-files.ts";
import type { apiSchema } from "../schema/settings-schema.ts";
import { entryOf, isUnresolved, type MapNode, type Node, withEntries } from "../tree.ts";

/**
 * Reads the secrets of the keys. A text in the list is a key without other settings. The paths of
 * key files are returned as `keys.0`, `keys.1` …
 */
export async function resolveKeys({ map, paths }: SecretMap, deps: BuildDeps): Promise<SecretMap> {
  const entry = entryOf(map, "keys");
  if (entry?.node.kind !== "list") return { map, paths };
  if (entryOf(map, "key") !== undefined)
    deps.report.error(
      entry.keyPlace,
      "secret-twice",
      "`key` and `keys` are both set: put the key into the list",
    );
  const items: Node[] = [];
  const keyPaths: Record<string, string> = {};
  for (const [index, item] of entry.node.items.entries()) {
    const own = await resolveSecrets(asMap(item), ["key"], requiring(deps), ["sandbox"]);
    items.push(item.kind === "list" ? item : own.map);
    if (own.paths["key"] !== undefined) keyPaths[`keys.${index}`] = own.paths["key"];
  }
  const node = { ...entry.node, items };
  return { map: withEntries(map, { keys: { ...entry, node } }), paths: { ...paths, ...keyPaths } };
}

function asMap(item: Node): MapNode {
  if (item.kind === "map") return item;
  return {
    kind: "map",
    place: item.place,
    entries: new Map([["key", { key: "key", keyPlace: item.place, node: item }]]),
  };
}

/** Returns the keys; undefined if there is no list. */
export function buildKeys(
  keys: z.output<typeof apiSchema>["keys"],
  node: Node | undefined,
  paths: Readonly<Record<string, string>>,
  report: Report,
): readonly KeyConfig[] | undefined {
  if (keys === undefined) return undefined;
  const built = keys.map((one, index): KeyConfig => {
    const { key = "", name, monthly } = typeof one === "string" ? { key: one } : one;
    const keyFile = paths[`keys.${index}`];
    return {
      key,
      keyFile,
      name,
      monthly,
    };
  });
  refuseRepeats(built, node, report);
  return built;
}

/**
 * Refuses a key that is listed twice, because its quota would be counted twice, and two keys with
 * the same name, because they could not be distinguished.
 */
function refuseRepeats(keys: readonly KeyConfig[], node: Node | undefined, report: Report): void {
  const items = node?.kind === "list" ? node.items : [];
  for (const [index, { key, name }] of keys.entries()) {
    const item = items[index];
    const before = keys.slice(0, index);
    if (item === undefined || isUnresolved(item)) continue;
    if (before.some((one) => one.key === key))
      report.error(item.place, "key-twice", "`keys` contains this key twice: keep one of them");
    else if (name !== undefined && before.some((one) => one.name === name))
      report.error(
        item.place,
        "key-twice",
        `\`keys\` contains two keys named "${name}": rename one of them`,
      );
  }
}
