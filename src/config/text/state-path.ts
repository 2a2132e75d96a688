/**
 * Finds the state file of a configuration, even if the configuration cannot be loaded. The daemon
 * may still run with the version that it loaded before, and commands find its control socket next
 * to the state file.
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
  /** The folder of the configuration. */
  readonly folder: string;
}

/**
 * Returns the absolute path of a state file. A relative path is in CHIRPWATCH_DATA_DIR if that is
 * set, otherwise in the folder of the configuration. The default `data/chirpwatch.db` is then
 * directly in CHIRPWATCH_DATA_DIR, unless an older version created a state or left backups in its
 * folder `data`.
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
 * Returns the path that stands in for the state file if the state is on Postgres, so that the
 * control socket has a place. It is in the folder of the default state file and named after the
 * database.
 */
export async function socketPlaceOf(address: PostgresAddress, place: StatePlace): Promise<string> {
  const { host, port, database } = address;
  const name = ["postgres", host, port, database].join("-").replace(/[^\w.-]+/g, "_");
  return join(dirname(await resolveStatePath(DEFAULTS.state.path, place)), name);
}

/**
 * Returns the absolute path of a file that the daemon writes. A relative path is in
 * CHIRPWATCH_DATA_DIR if that is set, otherwise in the folder of the configuration.
 */
export const resolveDataPath = (
  path: string,
  { env, folder }: Pick<StatePlace, "env" | "folder">,
): string => resolve(env["CHIRPWATCH_DATA_DIR"] || folder, path);

export interface FindRequest {
  /** The file or folder of the configuration, which need not exist. */
  readonly path: string;
  readonly files: Files;
  readonly env: Environment;
}

/**
 * Returns `state.url` or `state.path` if they can be read, otherwise the default. Never throws
 * because of the contents of the files.
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

/**
 * Reads a value even if the text has errors: the parser continues after an error, so everything
 * outside the broken part is found.
 */
function valueIn(text: string, key: "path" | "url", env: Environment): string | undefined {
  if (findExcess(text) !== undefined) return undefined;
  const found: unknown = parseDocument(text, {
    prettyErrors: false,
    logLevel: "silent",
    uniqueKeys: false,
  }).getIn(["state", key]);
  return typeof found === "string" && found !== "" ? expandText(found, env) : undefined;
}
