/**
 * Keeps the compiled code of the package's own files between starts, because compiling takes a
 * third of the time of a start. Node 22.8 and later do this themselves. For older releases, this
 * file does the same in a folder beside Node's own, and obeys the same environment variables:
 * https://nodejs.org/api/module.html#module-compile-cache.
 *
 * Compiled code is used only for the text that it was compiled from, and only from a folder in
 * which no other user can write.
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

/**
 * When compiled code is kept, in ms after the start: by then the functions of the start are
 * compiled, and V8 has not yet freed the code of those that are no longer used.
 */
const KEEP_AFTER_MS = 6_000;
const DIGEST_BYTES = 32;

/**
 * The parts of Node's `require` that its types lack. Only later releases have the two functions.
 */
interface NodeRequire {
  (
    id: "node:module",
  ): {
    readonly enableCompileCache?: () => unknown;
    readonly flushCompileCache?: () => void;
  };
  readonly extensions: Record<".js", (module: NodeModule, path: string) => void>;
}

const require = createRequire(import.meta.url) as unknown as NodeRequire;

/**
 * Uses the compiled code that an earlier start of the command kept. If there is none, keeps the
 * code that this start compiles. `isOwn` says whether a file's code may be kept.
 */
export function useCompileCache(command: string, isOwn: (path: string) => boolean): void {
  const { enableCompileCache, flushCompileCache } = require("node:module");
  if (enableCompileCache !== undefined) {
    enableCompileCache();
    // Node writes its cache when the process ends normally, so a killed process would never write
    // it.
    if (flushCompileCache !== undefined) setTimeout(flushCompileCache, KEEP_AFTER_MS).unref();
    return;
  }
  const { NODE_DISABLE_COMPILE_CACHE, NODE_V8_COVERAGE, NODE_COMPILE_CACHE } = process.env;
  // Coverage is incomplete for code that was compiled in an earlier process.
  if (NODE_DISABLE_COMPILE_CACHE === "1" || NODE_V8_COVERAGE !== undefined) return;
  const folder = privateFolder(NODE_COMPILE_CACHE || tmpdir());
  // Only functions that were called are compiled, and each command calls different functions.
  const name = /^[a-z]+$/.test(command) ? command : "help";
  if (folder !== undefined) compileFrom(join(folder, name), isOwn);
}

/**
 * Returns the folder for this release of Node and this user; undefined if it cannot be created, or
 * if other users can write in it.
 */
function privateFolder(parent: string): string | undefined {
  const uid = process.getuid?.();
  const { version, arch } = process;
  const folder = join(parent, `chirpwatch-compiled-${version}-${arch}-${uid}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    const isPrivate = found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0;
    return isPrivate ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** A script that this process had to compile, because no valid compiled code was kept. */
interface Compiled {
  readonly script: Script;
  readonly path: string;
  readonly digest: Buffer;
}

function compileFrom(prefix: string, isOwn: (path: string) => boolean): void {
  const compiled: Compiled[] = [];
  const { extensions } = require;
  const byNode = extensions[".js"];
  extensions[".js"] = (module, path) => {
    if (!isOwn(path)) return byNode(module, path);
    const text = readFileSync(path);
    const digest = digestOf(text);
    const kept = `${prefix}-${basename(path)}`;
    const cachedData = readKept(kept, digest);
    const script = new Script(
      // Built files are ASCII, so any encoding reads them. The wrapper adds no line above the text,
      // so that line numbers stay right.
      `(function (exports, require, module, __filename, __dirname) {${text.toString("latin1")}\n})`,
      {
        filename: path,
        ...(cachedData === undefined ? {} : { cachedData }),
      },
    );
    if (cachedData === undefined || script.cachedDataRejected === true)
      compiled.push({ script, path: kept, digest });
    const run = script.runInThisContext() as (...given: unknown[]) => void;
    run.call(module.exports, module.exports, createRequire(path), module, path, dirname(path));
  };
  const keepNext = () => {
    const next = compiled.pop();
    if (next === undefined) return;
    keepScript(next);
    // Keeping a script takes milliseconds, so let the daemon do other work between two of them.
    setImmediate(keepNext).unref();
  };
  setTimeout(keepNext, KEEP_AFTER_MS).unref();
  // A command that fails has not called the functions that it usually calls, and an unknown command
  // has no code to keep.
  process.once("exit", (code) => {
    if (code === 0) compiled.splice(0).forEach(keepScript);
  });
}

const digestOf = (bytes: Buffer): Buffer => createHash("sha256").update(bytes).digest();

/**
 * Returns the compiled code from a kept file; undefined if the file is missing or damaged. The file
 * contains the digest of the source text, the digest of the code, and the code.
 */
function readKept(path: string, digest: Buffer): Buffer | undefined {
  try {
    const bytes = readFileSync(path);
    const code = bytes.subarray(2 * DIGEST_BYTES);
    const head = bytes.subarray(0, 2 * DIGEST_BYTES);
    return head.equals(Buffer.concat([digest, digestOf(code)])) ? code : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes the compiled code of a script to a draft and renames it, because other processes may read
 * or write the same file.
 */
function keepScript({ script, path, digest }: Compiled): void {
  const draft = `${path}.${process.pid}`;
  try {
    const code = script.createCachedData();
    writeFileSync(draft, Buffer.concat([digest, digestOf(code), code]), { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    // Without a kept file, the next start compiles the script again. A full disk may have taken a
    // part of the draft.
    removeDraft(draft);
  }
}

function removeDraft(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A folder that cannot be written has no draft either.
  }
}
