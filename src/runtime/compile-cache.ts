/**
 * Keeps the compiled code of the package's own files between starts. Compiling takes a third of a
 * start. Node 22.8 and later do this themselves; on an older Node, this file does the same in a
 * folder beside theirs, under the same variables:
 * https://nodejs.org/api/module.html#module-compile-cache.
 *
 * Compiled code is used only for the same text, and only from a folder that nobody else can write.
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { constants, Script } from "node:vm";

/** When the start is over and its functions are compiled, and before unused code is freed. */
const KEEP_AFTER_MS = 6_000;
const DIGEST_BYTES = 32;

/** What later releases of Node have, and what the types of this one lack. */
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
 * Uses the compiled code of an earlier start of a command, and keeps that of this one if there is
 * none. `isOwn` says which files may be kept.
 */
export function useCompileCache(command: string, isOwn: (path: string) => boolean): void {
  const { enableCompileCache, flushCompileCache } = require("node:module");
  if (enableCompileCache !== undefined) {
    enableCompileCache();
    // Node keeps it when the process ends, which a killed one never does.
    if (flushCompileCache !== undefined) setTimeout(flushCompileCache, KEEP_AFTER_MS).unref();
    return;
  }
  const { NODE_DISABLE_COMPILE_CACHE, NODE_V8_COVERAGE, NODE_COMPILE_CACHE } = process.env;
  // The coverage of code that was compiled before lacks functions.
  if (NODE_DISABLE_COMPILE_CACHE === "1" || NODE_V8_COVERAGE !== undefined) return;
  const folder = privateFolder(NODE_COMPILE_CACHE || tmpdir());
  // Only functions that were called are compiled, and each command calls others.
  const name = /^[a-z]+$/.test(command) ? command : "help";
  if (folder !== undefined) compileFrom(join(folder, name), isOwn);
}

/** Returns the folder of this Node and user; undefined if it cannot be made or is not private. */
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

/** A script that this process had to compile. */
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
    const kept = `${prefix}-${basename(path)}-${digest.toString("hex", 0, 8)}`;
    const cachedData = readKept(kept, digest);
    const script = new Script(
      // Built files are ASCII. The first line stays the first.
      `(function (exports, require, module, __filename, __dirname) {${text.toString("latin1")}\n})`,
      {
        filename: path,
        ...(cachedData === undefined ? {} : { cachedData }),
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
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
    // Each takes milliseconds, and a daemon has other work meanwhile.
    setImmediate(keepNext).unref();
  };
  setTimeout(keepNext, KEEP_AFTER_MS).unref();
  // A command that fails has not called what it would otherwise, and may be none at all.
  process.once("exit", (code) => {
    if (code === 0) compiled.splice(0).forEach(keepScript);
  });
}

const digestOf = (bytes: Buffer): Buffer => createHash("sha256").update(bytes).digest();

/** A kept file is the digest of its text, the digest of the code, and the code. */
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

/** Another process may write or read the same file, so it appears whole. */
function keepScript({ script, path, digest }: Compiled): void {
  try {
    const code = script.createCachedData();
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, Buffer.concat([digest, digestOf(code), code]), { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    // The next start compiles again.
  }
}
