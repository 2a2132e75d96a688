/**
 * Describes an unknown name in an expression: names the whole path, and adds a suggestion or the
 * names that exist there.
 */
import { suggest } from "../suggest.ts";

/**
 * The maximum number of names in a message. If there are more, none is listed, because people would
 * not read them.
 */
const MAX_LISTED = 40;

export interface UnknownName {
  /** The path before the name, such as `tweet.user`. Empty if the name begins the path. */
  readonly holder: string;
  readonly name: string;
}

/** Describes the name. `paths` are all paths that an expression may use. */
export function describeUnknownName(
  { holder, name }: UnknownName,
  paths: readonly string[],
): string {
  const prefix = holder === "" ? "" : `${holder}.`;
  const level = paths
    .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes("."))
    .map((path) => path.slice(prefix.length));
  const near = suggest(name, level) ?? onlyWithWord(name, level);
  const meant =
    near === undefined
      ? shortest(paths.filter((path) => path.endsWith(`.${name}`)))
      : `${prefix}${near}`;
  if (meant !== undefined) return `no such name: ${prefix}${name}; did you mean \`${meant}\`?`;
  const known =
    level.length === 0 || level.length > MAX_LISTED ? "" : `; known here: ${level.join(", ")}`;
  return `no such name: ${prefix}${name}${known}`;
}

/**
 * Returns the name that has the word as one of its parts, if there is only one such name:
 * `full_text` for `text`, `followers_count` for `followers`.
 */
function onlyWithWord(word: string, names: readonly string[]): string | undefined {
  const found = names.filter((name) => name.split("_").includes(word));
  return found.length === 1 ? found[0] : undefined;
}

const shortest = (paths: readonly string[]): string | undefined =>
  paths.toSorted((a, b) => a.length - b.length)[0];
