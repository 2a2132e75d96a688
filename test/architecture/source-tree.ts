/**
 * Reads a source tree as the architecture rules see it: files, the room each lives in, and what
 * each imports.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";

export interface SourceFile {
  /** The path relative to the tree, with slashes: `engine/poll-loop.ts`. */
  readonly path: string;
  /** The first folder of the path, or the file's own name at the top: `main.ts`. */
  readonly room: string;
  readonly text: string;
  /** Paths of the files that it imports, including types and dynamic imports. */
  readonly imports: readonly string[];
  /** Package and built-in specifiers: `croner`, `node:fs`. */
  readonly packages: readonly string[];
}

const STATIC = /^(?:import|export)\b(?:[^"'`;]*?\bfrom)?\s*"([^"]+)"/gm;
const DYNAMIC = /\bimport\(\s*"([^"]+)"/g;

/**
 * Returns every module specifier of a text. The formatter guarantees double quotes and statements
 * at the start of a line.
 */
export function specifiersOf(text: string): readonly string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "");
  return [STATIC, DYNAMIC].flatMap((pattern) =>
    [...code.matchAll(pattern)].map((match) => match[1] ?? ""),
  );
}

/**
 * Returns the specifiers that are loaded together with the file. Type imports and dynamic imports
 * are left out.
 */
export const loadedSpecifiersOf = (text: string): readonly string[] =>
  [...text.replace(/^(?:import|export) type\b[^;]*;/gm, "").matchAll(STATIC)].map(
    (match) => match[1] ?? "",
  );

/**
 * Lists all files under a folder whose names have this ending, as paths with slashes relative to
 * it.
 */
export function listFiles(root: string, ending: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

export function readTree(root: string): readonly SourceFile[] {
  return listFiles(root, ".ts").map((path) => {
    const text = readFileSync(resolve(root, path), "utf8");
    const specifiers = specifiersOf(text);
    return {
      path,
      room: path.split("/")[0] ?? path,
      text,
      imports: specifiers
        .filter((name) => name.startsWith("."))
        .map((name) => posix.join(dirname(path), name)),
      packages: specifiers.filter((name) => !name.startsWith(".")),
    };
  });
}

/** Returns the first cycle of imports, as the path around it, or undefined if there is none. */
export function findCycle(
  files: readonly Pick<SourceFile, "path" | "imports">[],
): readonly string[] | undefined {
  const imports = new Map(files.map((file) => [file.path, file.imports]));
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of imports.get(path) ?? []) {
      const cycle = visit(next, [...trail, path]);
      if (cycle !== undefined) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const file of files) {
    const cycle = visit(file.path, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/**
 * Returns whether the code uses the type `any` for anything but the settings of a registry's row:
 * `WatchType<any>`, `SinkType<any>`.
 */
export function hasLooseAny(text: string): boolean {
  const code = text
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "")
    .replace(/\b(?:Watch|Sink)Type<any>/g, "");
  return /(?:[:<|&,]|\bas)\s*any\b(?!\s+\w)/.test(code);
}

/** Returns the length of the longest chain of imports among these files, which have no cycle. */
export function layersOf(files: readonly Pick<SourceFile, "path" | "imports">[]): number {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const depths = new Map<string, number>();
  const depthOf = (path: string): number => {
    const known = depths.get(path);
    if (known !== undefined) return known;
    const below = (byPath.get(path)?.imports ?? []).filter((target) => byPath.has(target));
    const depth = 1 + Math.max(0, ...below.map(depthOf));
    depths.set(path, depth);
    return depth;
  };
  return Math.max(0, ...files.map(({ path }) => depthOf(path)));
}
