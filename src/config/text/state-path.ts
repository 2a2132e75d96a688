/**
 * Where the state file is: of a good configuration, and of one that cannot be loaded, as far as it
 * can be read. The daemon may run on what it loaded before the file was spoilt, and commands find
 * its control socket beside the state.
 */
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { parseDocument } from "yaml";
import type { Environment, Files } from "../../model/files.ts";
import { withDotEnv } from "../../runtime/environment.ts";
import type { PostgresAddress, StateAddress } from "../../model/postgres-address.ts";
import { DEFAULTS } from "../defaults.ts";
import { expandText } from "./interpolate.ts";
import { readSources } from "./read-files.ts";
import { parsePostgresUrl } from "./postgres-url.ts";
import { findExcess } from "./yaml-limits.ts";

export interface StatePlace {
  readonly files: Pick<Files, "exists" | "isDirectory">;
  readonly env: Environment;
  /** Of the configuration. */
  readonly folder: string;
}

/**
 * A relative path lies under CHIRPWATCH_DATA_DIR, else in the folder of the configuration. The
 * default, `data/chirpwatch.db`, lies in CHIRPWATCH_DATA_DIR itself, unless older versions made a
 * state below it, or left its backups there.
 */
export async function resolveStatePath(
  path: string,
  { files, env, folder }: StatePlace,
): Promise<string> {
  if (isAbsolute(path)) return path;
  const dataDir = env["CHIRPWATCH_DATA_DIR"];
  const literal = resolveDataPath(path, { env, folder });
  if (!dataDir || path !== DEFAULTS.state.path || (await files.exists(literal))) return literal;
  const direct = join(resolve(dataDir), basename(path));
  return (await files.isDirectory(dirname(literal))) && !(await files.exists(direct))
    ? literal
    : direct;
}

/**
 * A state on Postgres has no file; its daemon's control socket lies where the default file would
 * be, named by the database.
 */
export async function socketPlaceOf(address: PostgresAddress, place: StatePlace): Promise<string> {
  const { host, port, database } = address;
  const name = ["postgres", host, port, database].join("-").replace(/[^\w.-]+/g, "_");
  return join(dirname(await resolveStatePath(DEFAULTS.state.path, place)), name);
}

/**
 * Of any file that the daemon writes: a relative path lies under CHIRPWATCH_DATA_DIR, else in the
 * folder of the configuration.
 */
export const resolveDataPath = (
  path: string,
  { env, folder }: Pick<StatePlace, "env" | "folder">,
): string => resolve(env["CHIRPWATCH_DATA_DIR"] || folder, path);

export interface FindRequest {
  /** Of the configuration: a file or a folder, or nothing at all. */
  readonly path: string;
  readonly files: Files;
  readonly env: Environment;
}

/**
 * `state.url` or `state.path` where they can be read, else the default. Never throws for what is in
 * the files.
 */
export async function findState({ path, files, env: real }: FindRequest): Promise<StateAddress> {
  const isFolder = await files.isDirectory(path);
  const folder = isFolder ? resolve(path) : dirname(resolve(path));
  const env = await withDotEnv(real, files, path).catch(() => real);
  const sources = await readSources(path, files).catch(() => undefined);
  const find = (key: "path" | "url") =>
    sources?.files.map(({ text }) => valueIn(text, key, env)).find((found) => found !== undefined);
  const place = { files, env, folder };
  const url = find("url");
  const address = url === undefined ? undefined : parsePostgresUrl(url, folder);
  if (address === undefined || "problem" in address)
    return { path: await resolveStatePath(find("path") ?? DEFAULTS.state.path, place) };
  return { path: await socketPlaceOf(address, place), postgres: address };
}

/** The parser goes on after an error: what stands outside the broken part is found. */
function valueIn(text: string, key: "path" | "url", env: Environment): string | undefined {
  if (findExcess(text) !== undefined) return undefined;
  const found: unknown = parseDocument(text, {
    prettyErrors: false,
    logLevel: "silent",
    uniqueKeys: false,
  }).getIn(["state", key]);
  return typeof found === "string" && found !== "" ? expandText(found, env) : undefined;
}
