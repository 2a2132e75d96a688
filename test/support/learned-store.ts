import type { Json } from "../../src/model/json.ts";
import type { LearnedStore } from "../../src/model/learned.ts";

/** A store of learned values in memory: JSON by scope and key, as the state holds them. */
export interface LearnedInMemory extends LearnedStore {
  readonly scopes: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The keys of each write, oldest first. */
  readonly writes: readonly { readonly scope: string; readonly keys: readonly string[] }[];
}

export function createLearnedInMemory(
  before: Readonly<Record<string, Readonly<Record<string, Json>>>> = {},
): LearnedInMemory {
  const scopes = new Map<string, Map<string, string>>();
  const writes: { scope: string; keys: readonly string[] }[] = [];
  const rowsOf = (scope: string) => {
    const rows = scopes.get(scope) ?? new Map<string, string>();
    scopes.set(scope, rows);
    return rows;
  };
  for (const [scope, values] of Object.entries(before))
    for (const [key, value] of Object.entries(values))
      rowsOf(scope).set(key, JSON.stringify(value));
  return {
    scopes,
    writes,
    async loadLearned(scope, keys) {
      const rows = [...rowsOf(scope)].filter(([key]) => keys?.includes(key) !== false);
      return new Map(rows.map(([key, text]) => [key, JSON.parse(text) as Json]));
    },
    async saveLearned(scope, changes) {
      writes.push({ scope, keys: [...changes.keys()] });
      for (const [key, value] of changes) {
        if (value === null) rowsOf(scope).delete(key);
        else rowsOf(scope).set(key, JSON.stringify(value));
      }
    },
  };
}
