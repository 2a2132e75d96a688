/**
 * Builds the sections other than watches, sinks and routes: checks them and reads their secrets.
 */
import { checkValue } from "../check/check-value.ts";
import type { PostgresAddress } from "../../model/postgres-address.ts";
import type { ApiConfig, Config } from "../config.ts";
import type { BuildDeps } from "./build-deps.ts";
import { buildKeys, resolveKeys } from "./build-keys.ts";
import { requiring, resolveSecrets } from "./secret-files.ts";
import { buildServerAddress } from "../check/server-environment.ts";
import {
  API_SECRETS,
  apiSchema,
  linksSchema,
  opsSchema,
  SERVER_SECRETS,
  SERVICE_RATE_PER_SECOND,
  STATE_SECRETS,
  serverSchema,
  stateSchema,
  versionSchema,
} from "../schema/settings-schema.ts";
import { parsePostgresUrl } from "../text/postgres-url.ts";
import { childOf, entryOf, findNode, type MapNode, type Node, type Place } from "../tree.ts";
import { z } from "zod";

export interface Sections {
  readonly api: ApiConfig;
  readonly state: z.output<typeof stateSchema> & { readonly postgres?: PostgresAddress };
  readonly server: Config["server"];
  readonly ops: Config["ops"];
  readonly linksHost: string;
}

interface Section {
  readonly map: MapNode;
  readonly place: Place;
  readonly name: string;
}

/** Builds all sections. All of them are checked. Resolves to undefined if one has errors. */
export async function buildSections(root: MapNode, deps: BuildDeps): Promise<Sections | undefined> {
  checkVersion(root, deps);
  const api = await buildApi(sectionOf(root, "api", deps), deps);
  const server = await buildServer(sectionOf(root, "server", deps), deps);
  const state = await buildState(sectionOf(root, "state", deps), deps);
  const ops = check(opsSchema, sectionOf(root, "ops", deps), deps);
  const links = check(linksSchema, sectionOf(root, "links", deps), deps);
  for (const key of ["time_intervals", "defaults", "reports"]) sectionOf(root, key, deps);
  if (
    api === undefined ||
    state === undefined ||
    server === undefined ||
    ops === undefined ||
    links === undefined
  )
    return undefined;
  const { heartbeat } = ops;
  return {
    api,
    state,
    server,
    ops: {
      sinks: [...new Set(ops.sink ?? [])],
      ...(heartbeat === undefined
        ? {}
        : { heartbeat: { url: heartbeat.url, intervalMs: heartbeat.interval } }),
    },
    linksHost: links.host,
  };
}

const check = <S extends z.ZodType>(
  schema: S,
  section: Section,
  deps: BuildDeps,
): z.output<S> | undefined =>
  checkValue(schema, section.map, {
    report: deps.report,
    place: section.place,
    name: section.name,
  });

/**
 * Returns the contents of a section; empty if it is absent, or if everything in it is commented
 * out.
 */
function sectionOf(root: MapNode, key: string, deps: BuildDeps): Section {
  const entry = entryOf(root, key);
  const nothing: MapNode = {
    kind: "map",
    place: entry?.keyPlace ?? root.place,
    entries: new Map(),
  };
  if (entry === undefined)
    return { map: nothing, place: { file: root.place.file, offset: 0 }, name: key };
  if (entry.node.kind === "map") return { map: entry.node, place: entry.keyPlace, name: key };
  const isNothing = entry.node.kind === "scalar" && entry.node.value === null;
  if (!isNothing) deps.report.error(entry.keyPlace, "wrong-type", `\`${key}\` must be a map`);
  return { map: nothing, place: entry.keyPlace, name: key };
}

function checkVersion(root: MapNode, deps: BuildDeps): void {
  const entry = entryOf(root, "version");
  if (entry === undefined) return;
  const map: MapNode = {
    kind: "map",
    place: entry.keyPlace,
    entries: new Map([["version", entry]]),
  };
  checkValue(z.strictObject({ version: versionSchema }), map, {
    report: deps.report,
    place: entry.keyPlace,
    name: "version",
  });
}

async function buildApi(section: Section, deps: BuildDeps): Promise<ApiConfig | undefined> {
  const resolved = await resolveSecrets(section.map, API_SECRETS, requiring(deps), ["sandbox"]);
  const { map, paths } = await resolveKeys(resolved, deps);
  const api = check(apiSchema, { ...section, map }, deps);
  if (api === undefined) return undefined;
  const keys = buildKeys(api.keys, childOf(map, "keys"), paths, deps.report);
  const { count, interval } = api.rate_limit;
  if ((count * 1_000) / interval > SERVICE_RATE_PER_SECOND) {
    const message = `\`rate_limit\` is above the service's own ceiling of ${SERVICE_RATE_PER_SECOND} requests a second: the service refuses every request beyond it`;
    deps.report.error(findNode(map, ["rate_limit"], section.place).place, "rate-limit", message);
  }
  const { quota } = api;
  const urlVariable = deps.env["CHIRPWATCH_API_URL"] || undefined;
  return {
    baseUrl: api.base_url,
    urlVariable,
    key: keys?.[0]?.key ?? api.key,
    keyFile: paths["key"],
    keys,
    timeoutMs: api.timeout,
    rate: { count, intervalMs: interval },
    quota: {
      monthly: quota.monthly,
      resetDay: quota.reset_day,
      timezone: quota.timezone,
      reserve: quota.reserve,
      onExhausted: quota.on_exhausted,
      ...(quota.price === undefined
        ? {}
        : { price: { perRequest: quota.price.per_request, currency: quota.price.currency } }),
    },
  };
}

/**
 * Builds `state`. Problems with `url` are reported at its key, because the value may contain a
 * password.
 */
async function buildState(
  section: Section,
  deps: BuildDeps,
): Promise<Sections["state"] | undefined> {
  const { map } = await resolveSecrets(
    section.map,
    STATE_SECRETS,
    requiring(deps),
    withoutPassword(entryOf(section.map, "url")?.node),
  );
  const state = check(stateSchema, { ...section, map }, deps);
  const url = entryOf(map, "url");
  if (state?.url === undefined || url === undefined) return state;
  if (entryOf(map, "path") !== undefined)
    deps.report.error(
      url.keyPlace,
      "state-twice",
      "`path` and `url` are both set: keep one of them",
    );
  if (isUnresolved(url.node)) return state;
  const address = parsePostgresUrl(state.url, deps.folder);
  if (!("problem" in address)) return { ...state, postgres: address };
  deps.report.error(url.keyPlace, "state-url", `\`url\` ${address.problem}`);
  return state;
}

/**
 * Returns a list with the address if it contains no password, because it is then no secret and may
 * be written in the file.
 */
function withoutPassword(node: Node | undefined): readonly string[] {
  if (node?.kind !== "scalar" || typeof node.value !== "string") return [];
  const address = parsePostgresUrl(node.value, "");
  return "problem" in address || address.password !== undefined ? [] : [node.value];
}

const isUnresolved = (node: Node): boolean => node.kind === "scalar" && node.unresolved === true;

async function buildServer(
  section: Section,
  deps: BuildDeps,
): Promise<Config["server"] | undefined> {
  const { map } = await resolveSecrets(section.map, SERVER_SECRETS, requiring(deps));
  const server = check(serverSchema, { ...section, map }, deps);
  if (server === undefined) return undefined;
  const { node, place } = findNode(map, ["listen"], section.place);
  const { env, files, report, lenient } = deps;
  const [readToken] = ["read_token", "read_token_file"].flatMap(
    (key) => findNode(section.map, [key], section.place).node ?? [],
  );
  return buildServerAddress(server, {
    ...{ env, files, report, lenient },
    place: node?.place ?? place,
    readTokenPlace: readToken?.place ?? section.place,
  });
}
