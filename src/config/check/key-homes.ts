/**
 * Finds where a known key belongs that is in the wrong place, such as `price` under `api.quota`.
 * The registries handle keys of watch and sink types.
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
  /** The name in messages. */
  readonly name: string;
  /** The path from the top of the file; undefined within watches, routes and sinks. */
  readonly path?: string;
  /** Whether it is an entire section, watch, route or sink. */
  readonly isWhole: boolean;
}

/** Computed only when needed, because most files have no unknown key. */
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
 * Returns `; it belongs under …`, or nothing. `within`: the path of the map that contains the key,
 * if it is part of a section, a watch, a route or a sink.
 */
export function belongsText(key: string, within = ""): string {
  const isLikely = ({ isWhole, path = "" }: Home): boolean =>
    within === "" || isWhole || path.startsWith(`${within}.`);
  const possible = homes().filter((home) => home.keys.includes(key) && isLikely(home));
  // If the key exists in many watches, routes and sinks, only sections are worth naming.
  const likely =
    possible.length > MAX_NAMED ? possible.filter(({ path }) => path !== undefined) : possible;
  const names = likely.map(({ name }) => name);
  if (names.length === 0 || names.length > MAX_NAMED) return "";
  return `; it belongs under ${names.length === 1 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`}`;
}
