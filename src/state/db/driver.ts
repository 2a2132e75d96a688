/**
 * Loads the release of the SQLite driver that this Node can run, and explains why if it does not
 * load. Release 13 contains its binaries and needs Node-API 10; on an older Node it crashes the
 * process, so there release 12 is used, which an install script downloads or compiles. See
 * docs/adr/0018.
 */
import { createRequire } from "node:module";
import type Database from "better-sqlite3";
import { errorText } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";

export type SqliteHandle = Database.Database;
export type SqliteStatement = Database.Statement;
export type SqliteError = InstanceType<typeof Database.SqliteError>;

const PREBUILT = "better-sqlite3";
const COMPILED = "better-sqlite3-node20";

const require = createRequire(import.meta.url);
const name = Number(process.versions.napi) >= 10 ? PREBUILT : COMPILED;
let outcome: { readonly driver: typeof Database } | { readonly failure: ExitError } | undefined;

/** Returns the driver's class. @throws ExitError STORE_DRIVER_UNUSABLE */
export function loadDriver(): typeof Database {
  // Loading is tried only once, because a refused binary fails for a different reason the second
  // time.
  outcome ??= tryToLoad();
  if ("failure" in outcome) throw outcome.failure;
  return outcome.driver;
}

function tryToLoad(): NonNullable<typeof outcome> {
  try {
    const driver = require(name) as typeof Database;
    // The driver reads its binary when the first database is opened.
    new driver(":memory:").close();
    return { driver };
  } catch (error) {
    return { failure: driverFailure(error) };
  }
}

/** Returns the path of the driver's module for a worker thread, which loads the driver itself. */
export const driverPath = (): string => require.resolve(name);

function driverFailure(cause: unknown): ExitError {
  const text = errorText(cause);
  const message = `The SQLite driver for Node ${process.versions.node} (${name}) ${reasonIn(text)}.`;
  return new ExitError(EXIT.internal, "STORE_DRIVER_UNUSABLE", message, {
    hint: cureOf(text),
    cause,
  });
}

const isNotInstalled = (text: string): boolean => text.startsWith(`Cannot find module '${name}'`);
const hasNoBinary = (text: string): boolean =>
  /^(?:Could not locate the bindings file|Cannot find module )/.test(text);

function reasonIn(text: string): string {
  if (/NODE_MODULE_VERSION/.test(text)) return "was built for another version of Node";
  if (isNotInstalled(text)) return "is not installed";
  if (!hasNoBinary(text)) return `does not load: ${text.split("\n")[0]?.replace(/\.$/, "")}`;
  return name === COMPILED
    ? "was not built: its install script did not run"
    : `brings no binary for ${process.platform} on ${process.arch}`;
}

function cureOf(text: string): string {
  const newer = "or use Node 22.14 or newer, whose driver needs no build";
  if (isNotInstalled(text)) {
    const needs =
      name === COMPILED
        ? `, on a machine with python3, make and g++, ${newer}`
        : " and without `--omit=optional`";
    return `Install chirpwatch again with this Node${needs}.`;
  }
  if (name === COMPILED)
    return `Run \`npm rebuild ${name}\` where chirpwatch is installed, with \`--global\` for a global one; it needs python3, make and g++; ${newer}.`;
  return `Compile it: run \`npx node-gyp rebuild --release --force_build=1\` in the folder node_modules/${name}.`;
}
