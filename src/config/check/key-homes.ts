/**
 * Says where a key belongs that exists elsewhere in the language, such as `price`, which belongs
 * under `api.quota`. The keys of single watch types and sink types are not considered here.
 */
import type { z } from "zod";
import { chatSchema } from "../schema/chat-schema.ts";
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
  chat: chatSchema,
  links: linksSchema,
};
const KINDS = { watch: commonWatchSchema, route: ownRouteSchema, sink: commonSinkSchema };

interface Home {
  readonly keys: readonly string[];
  /** The name of the map in messages. */
  readonly name: string;
  /**
   * The path of the map from the top of the file. Undefined for maps in watches, routes and sinks.
   */
  readonly path?: string;
  /** Whether the map is an entire section, watch, route or sink, and not a part of one. */
  readonly isWhole: boolean;
}

/**
 * Returns all maps of the configuration language. They are computed only when they are needed,
 * because most files have no unknown key.
 */
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
 * Returns `; it belongs under …`, or "" if there is no likely place. `within` is the path of the
 * map in which the key was written, or "" if that is an entire section, watch, route or sink.
 */
export function belongsText(key: string, within = ""): string {
  const isLikely = ({ isWhole, path = "" }: Home): boolean =>
    within === "" || isWhole || path.startsWith(`${within}.`);
  const possible = homes().filter((home) => home.keys.includes(key) && isLikely(home));
  // If too many maps know the key, only those in sections are named.
  const likely =
    possible.length > MAX_NAMED ? possible.filter(({ path }) => path !== undefined) : possible;
  const names = likely.map(({ name }) => name);
  if (names.length === 0 || names.length > MAX_NAMED) return "";
  return `; it belongs under ${names.length === 1 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`}`;
}
