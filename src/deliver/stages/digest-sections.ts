/**
 * Decides which sections a digest has, how their alerts are sorted, and which alerts `max_items`
 * leaves out. Pure.
 */
import type { DigestSection, OutboxEvent } from "../../model/sink.ts";
import { ownValue } from "../../model/own-value.ts";
import { kindTitle } from "../../render/text/kind-words.ts";
import type { SortNumber } from "../../route/route.ts";

/** The maximum number of sections. If there are more, the smallest ones are merged into one. */
export const MAX_SECTIONS = 12;
const OTHERS = "others";

export interface SectionRules {
  /**
   * The property by which alerts are divided into sections: `watch`, `author`, `type` or a label.
   * If absent, they are divided by watch, and by type within a watch.
   */
  readonly groupBy?: string | undefined;
  readonly sortBy?: SortNumber | undefined;
}

type Section = Omit<DigestSection, "count">;

/**
 * Returns all sections with all their events, the largest section first. Of two equally large ones,
 * the one with the older first alert comes first. `events` must be oldest first.
 */
export function sectionsOf(
  events: readonly OutboxEvent[],
  rules: SectionRules,
): readonly Section[] {
  const placeOf = placing(events, rules.groupBy);
  const found = new Map<
    string,
    { readonly title: string; readonly isKind: boolean; readonly items: OutboxEvent[] }
  >();
  for (const event of events) {
    const { key, ...place } = placeOf(event);
    const section = found.get(key) ?? { ...place, items: [] };
    section.items.push(event);
    found.set(key, section);
  }
  const sorted = [...found.values()].sort((a, b) => b.items.length - a.items.length);
  const whole = sorted.length > MAX_SECTIONS ? sorted.slice(0, MAX_SECTIONS - 1) : sorted;
  const small = sorted.slice(whole.length).flatMap(({ items }) => items);
  const inTime = new Map(events.map((event, index) => [event, index]));
  const others = small.sort((a, b) => (inTime.get(a) ?? 0) - (inTime.get(b) ?? 0));
  const sections: readonly Section[] =
    others.length === 0 ? whole : [...whole, { title: OTHERS, isKind: false, items: others }];
  return sections.map((section) => ({ ...section, items: sortItems(section.items, rules.sortBy) }));
}

interface Placed {
  readonly key: string;
  readonly title: string;
  readonly isKind: boolean;
}

function placing(
  events: readonly OutboxEvent[],
  groupBy: string | undefined,
): (event: OutboxEvent) => Placed {
  if (groupBy !== undefined) return (event) => placeBy(groupBy, event);
  const typesOf = new Map<string, Set<string>>();
  for (const { event } of events) {
    const types = typesOf.get(event.watch) ?? new Set();
    // Types with the same title share a section.
    typesOf.set(event.watch, types.add(kindTitle(event.type)));
  }
  const byWatch = typesOf.size > 1;
  return ({ event }) => {
    const kind = (typesOf.get(event.watch)?.size ?? 0) > 1 ? kindTitle(event.type) : "";
    const watch = byWatch ? watchName(event.watch) : "";
    const title = [watch, kind].filter((part) => part !== "").join(": ");
    return { key: JSON.stringify([watch, kind]), title, isKind: kind !== "" };
  };
}

const watchName = (watch: string): string => (watch === "" ? "chirpwatch" : watch);

function placeBy(groupBy: string, { event }: OutboxEvent): Placed {
  if (groupBy === "type") {
    const title = kindTitle(event.type);
    return { key: title, title, isKind: true };
  }
  const value = ownValue(event.labels, groupBy) ?? "";
  if (value === "") return { key: "", title: `without ${groupBy}`, isKind: false };
  const title = groupBy === "author" && !value.startsWith("@") ? `@${value}` : value;
  return { key: `=${value}`, title, isKind: false };
}

/**
 * Sorts items by a number, highest first and items without the number last. Without `sortBy`, keeps
 * their order.
 */
export function sortItems(
  items: readonly OutboxEvent[],
  sortBy: SortNumber | undefined,
): readonly OutboxEvent[] {
  if (sortBy === undefined) return items;
  const ranked = items.map((item) => ({
    item,
    rank: sortBy.of(item.event) ?? Number.NEGATIVE_INFINITY,
  }));
  return ranked
    .sort((a, b) => Number(b.rank > a.rank) - Number(b.rank < a.rank))
    .map(({ item }) => item);
}

/**
 * Limits the listed items to `limit` in total. Sections get one item each in turns, the largest
 * section first, so that no section is left out while there is room.
 */
export function dealItems(
  sections: readonly Section[],
  limit: number,
): { readonly sections: readonly DigestSection[]; readonly unlisted: readonly OutboxEvent[] } {
  const given = sections.map(() => 0);
  let left = limit;
  for (let isDealt = true; isDealt && left > 0; ) {
    isDealt = false;
    for (const [index, { items }] of sections.entries()) {
      if (left === 0 || (given[index] ?? 0) >= items.length) continue;
      given[index] = (given[index] ?? 0) + 1;
      left -= 1;
      isDealt = true;
    }
  }
  return {
    sections: sections.map((section, index) => ({
      ...section,
      count: section.items.length,
      items: section.items.slice(0, given[index]),
    })),
    unlisted: sections.flatMap(({ items }, index) => items.slice(given[index])),
  };
}
