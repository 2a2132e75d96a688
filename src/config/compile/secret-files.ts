/**
 * Reads `<key>_file` for every secret: the text of the file becomes the value of `<key>`. Warns of
 * secrets that are written in the configuration.
 */
import { isAbsolute, join } from "node:path";
import type { Files } from "../../model/files.ts";
import type { Report } from "../report.ts";
import { readErrorText, readSecretText } from "../text/read-files.ts";
import { type Entry, entryOf, type MapNode, type ScalarNode, withEntries } from "../tree.ts";

export interface SecretDeps {
  readonly folder: string;
  readonly files: Files;
  readonly report: Report;
  /** Called with the absolute path of every file that was read. */
  readonly noteFile: (path: string) => void;
  /**
   * Whether a secret may be missing, as in the demo. A missing secret is then left unresolved and
   * not reported.
   */
  readonly lenient: boolean;
}

export interface SecretMap {
  readonly map: MapNode;
  /** The absolute paths of the files from which secrets were read, by the key of the secret. */
  readonly paths: Readonly<Record<string, string>>;
}

/** Returns dependencies with which a missing value is always an error, even in the demo. */
export const requiring = ({
  folder,
  files,
  report,
  noteFile,
}: Omit<SecretDeps, "lenient">): SecretDeps => ({
  folder,
  files,
  report,
  noteFile,
  lenient: false,
});

/**
 * Resolves the secrets at `keys`. `harmless` lists keys and values for which no warning is given if
 * they are written in the file.
 */
export async function resolveSecrets(
  map: MapNode,
  keys: readonly string[],
  deps: SecretDeps,
  harmless: readonly string[] = [],
): Promise<SecretMap> {
  const changes: Record<string, Entry | undefined> = {};
  const paths: Record<string, string> = {};
  for (const key of keys) {
    const direct = entryOf(map, key);
    const viaFile = entryOf(map, `${key}_file`);
    if (direct !== undefined) warnOfLiteral(direct, harmless, deps.report);
    if (viaFile === undefined) continue;
    changes[`${key}_file`] = undefined;
    if (direct !== undefined) {
      deps.report.error(
        viaFile.keyPlace,
        "secret-twice",
        `\`${key}\` and \`${key}_file\` are both set: keep one of them`,
      );
      continue;
    }
    const read = await readSecret(viaFile, deps);
    if (read.path !== undefined) paths[key] = read.path;
    changes[key] = { key, keyPlace: viaFile.keyPlace, node: read.node };
  }
  return { map: withEntries(map, changes), paths };
}

function warnOfLiteral(
  { key, keyPlace, node }: Entry,
  harmless: readonly string[],
  report: Report,
): void {
  if (node.kind === "list")
    for (const item of node.items) warnOfLiteral({ key, keyPlace, node: item }, harmless, report);
  if (
    node.kind !== "scalar" ||
    node.unresolved === true ||
    (node.origin !== "plain" && node.origin !== "quoted")
  )
    return;
  if (
    typeof node.value !== "string" ||
    node.value === "" ||
    harmless.includes(node.value) ||
    harmless.includes(key)
  )
    return;
  report.warn(
    node.place,
    "literal-secret",
    `\`${key}\` contains the secret itself: put it into the environment and write "\${NAME}", or use \`${key}_file\``,
  );
}

async function readSecret(
  { key, node }: Entry,
  deps: SecretDeps,
): Promise<{ readonly node: ScalarNode; readonly path?: string }> {
  const missing: ScalarNode = {
    kind: "scalar",
    place: node.place,
    value: "",
    source: "",
    origin: "file",
    unresolved: true,
  };
  if (node.kind !== "scalar" || typeof node.value !== "string" || node.value === "") {
    if (!(node.kind === "scalar" && node.unresolved))
      deps.report.error(node.place, "secret-file", `\`${key}\` must be the path of a file`);
    return { node: missing };
  }
  const path = isAbsolute(node.value) ? node.value : join(deps.folder, node.value);
  try {
    const text = await readSecretText(deps.files, path);
    deps.noteFile(path);
    if (text !== "")
      return { node: { ...missing, value: text, source: text, unresolved: false }, path };
    if (!deps.lenient)
      deps.report.error(node.place, "secret-file", `\`${key}\`: ${node.value} is empty`);
  } catch (error) {
    if (!deps.lenient)
      deps.report.error(
        node.place,
        "secret-file",
        `\`${key}\`: ${node.value}: ${readErrorText(error)}`,
      );
  }
  return { node: missing };
}
