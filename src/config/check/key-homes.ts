/**
 * Where a known key belongs that stands in a wrong place: `price` under `api.quota`. Keys of watch
 * and sink types are left to their registries.
 */
import type { z } from "zod";
import { ownRouteSchema } from "../schema/route-schema.ts";
import { mapsIn } from "./schema-keys.ts";
import {
  apiSchema,
  linksSchema,
  opsSchema,
  serverSchema,
  stateSchema,
} from "../schema/settings-schema.ts";
import { commonSinkSchema } from "../schema/sink-schema.ts";
import { commonWatchSchema } from "../schema/watch-schema.ts";

const SECTIONS = {
  api: apiSchema,
  state: stateSchema,
  server: serverSchema,
  ops: opsSchema,
  links: linksSchema,
};
const KINDS = { watch: commonWatchSchema, route: ownRouteSchema, sink: commonSinkSchema };

interface Home {
  readonly keys: readonly string[];
  /** For people. */
  readonly name: string;
  /** From the top of the file; undefined within watches, routes and sinks. */
  readonly path?: string;
  /** Whether it is a section, a watch, a route or a sink itself. */
  readonly isWhole: boolean;
}

/** Worked out when it is asked: most files have no unknown key. */
const homes = (): readonly Home[] => [
  ...homesIn(SECTIONS, (section, path) => {
    const whole = [section, ...path].join(".");
    return { name: `\`${whole}\``, path: whole };
  }),
  ...homesIn(KINDS, (kind, path) => ({
    name: path.length === 0 ? `a ${kind}` : `\`${path.join(".")}\` of a ${kind}`,
  })),
];

function homesIn(
  schemas: Readonly<Record<string, z.ZodType>>,
  nameOf: (root: string, path: readonly string[]) => Pick<Home, "name" | "path">,
): readonly Home[] {
  return Object.entries(schemas).flatMap(([root, schema]) =>
    mapsIn(schema).map(({ path, keys }) => ({
      keys,
      isWhole: path.length === 0,
      ...nameOf(root, path),
    })),
  );
}

const MAX_NAMED = 3;

/**
 * `; it belongs under …`, or nothing. `within`: the map it stands in, by its path, where that is
 * part of a section, a watch, a route or a sink.
 */
export function belongsText(key: string, within = ""): string {
  const isLikely = ({ isWhole, path = "" }: Home): boolean =>
    within === "" || isWhole || path.startsWith(`${within}.`);
  const possible = homes().filter((home) => home.keys.includes(key) && isLikely(home));
  // Of a key of many watches, routes and sinks only the sections are worth naming.
  const likely =
    possible.length > MAX_NAMED ? possible.filter(({ path }) => path !== undefined) : possible;
  const names = likely.map(({ name }) => name);
  if (names.length === 0 || names.length > MAX_NAMED) return "";
  return `; it belongs under ${names.length === 1 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`}`;
}
