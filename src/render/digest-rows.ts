/**
 * Arranges the lines of a digest in order, under their headings, in as few messages as the sink's
 * limits allow.
 */
import type { Digest, DigestSection, OutboxEvent } from "../model/sink.ts";
import type { NeutralMessage } from "../model/message.ts";
import { type DigestLine, digestLine, linkOf } from "./digest-text.ts";
import { gatherPeople, MAX_PEOPLE, personOf } from "./people.ts";
import { peopleSentence } from "./messages/roster-message.ts";
import { formatExact } from "./text/numbers.ts";
import { moreText } from "./text/people-text.ts";

/** The heading of a section. */
interface SectionRow {
  readonly kind: "section";
  readonly text: string;
}

/** The sentence above the accounts that it is about. */
interface PeopleRow {
  readonly kind: "people";
  readonly text: string;
}

type HeadRow = SectionRow | PeopleRow;

/** A row for one alert. */
interface ItemRow {
  readonly kind: "item";
  readonly events: readonly OutboxEvent[];
  readonly line: DigestLine;
  /** The number by which it is sorted; empty if there is none. */
  readonly value: string;
  /** True if the row stands below a heading of accounts. */
  readonly isInner: boolean;
}

/** Accounts that are counted and not named. */
interface MoreRow {
  readonly kind: "more";
  readonly events: readonly OutboxEvent[];
  readonly text: string;
}

export type DigestRow = HeadRow | ItemRow | MoreRow;

/** The rows of one message. */
interface DigestPage {
  readonly rows: readonly DigestRow[];
  readonly events: readonly OutboxEvent[];
}

interface RowLimits {
  /** Returns the cost of a row, in the units of each budget. */
  costs(row: DigestRow): readonly number[];
  /** The room in the first message. */
  readonly first: readonly number[];
  /** The room in each further message. */
  readonly further: readonly number[];
}

/**
 * Divides a digest into at least one page. A heading is followed by at least one of its rows, and
 * is repeated on the next page if its rows continue there.
 */
export function digestPages(
  digest: Digest,
  { costs: measure, first, further }: RowLimits,
): readonly DigestPage[] {
  const known = new Map<DigestRow, readonly number[]>();
  const costs = (row: DigestRow): readonly number[] => {
    const cost = known.get(row) ?? measure(row);
    known.set(row, cost);
    return cost;
  };
  const pages: { rows: DigestRow[]; events: OutboxEvent[] }[] = [{ rows: [], events: [] }];
  let room = first;
  const take = (rows: readonly DigestRow[]) => {
    for (const row of rows) {
      pages.at(-1)?.rows.push(row);
      if (row.kind === "item" || row.kind === "more") pages.at(-1)?.events.push(...row.events);
      room = room.map((units, index) => units - (costs(row)[index] ?? 0));
    }
  };
  const fits = (rows: readonly DigestRow[]) =>
    room.every(
      (units, index) => rows.reduce((sum, row) => sum + (costs(row)[index] ?? 0), 0) <= units,
    );
  for (const { heads, rows } of blocksOf(digest)) {
    let above = heads.filter(({ isNew }) => isNew).map(({ row }) => row);
    for (const row of rows) {
      if (!fits([...above, row]) && (pages.at(-1)?.rows.length ?? 0) > 0) {
        pages.push({ rows: [], events: [] });
        room = further;
        above = heads.map(({ row: head, isNew }) =>
          isNew && above.includes(head) ? head : { ...head, text: `${head.text} (continued)` },
        );
      }
      // Omit a heading that leaves no room for the row below it.
      take(fits([...above, row]) ? [...above, row] : [row]);
      above = [];
    }
  }
  return pages;
}

/** Rows below the same headings. A heading that is not new was already shown above earlier rows. */
interface Block {
  readonly heads: readonly { readonly row: HeadRow; readonly isNew: boolean }[];
  readonly rows: readonly (ItemRow | MoreRow)[];
}

const blocksOf = (digest: Digest): readonly Block[] =>
  digest.sections
    .filter(({ items }) => items.length > 0)
    .flatMap((section) => sectionBlocks(digest, section));

function sectionBlocks(digest: Digest, section: DigestSection): readonly Block[] {
  const cards = gatherPeople(section.items);
  const [only] = cards;
  const isOneList =
    cards.length === 1 && only !== undefined && only.length > 1 && only.length === section.count;
  // The sentence about the accounts says the same as the heading would.
  const title =
    section.title === "" || (isOneList && section.isKind) ? undefined : sectionRow(section);
  const blocks: Block[] = [];
  for (const events of cards) {
    const above = title === undefined ? [] : [{ row: title, isNew: blocks.length === 0 }];
    if (events.length === 1)
      blocks.push({ heads: above, rows: [itemRow(digest, events[0], false)] });
    else
      blocks.push({
        heads: [
          ...above,
          {
            row: { kind: "people", text: peopleSentence(events.length, events[0].event) },
            isNew: true,
          },
        ],
        rows: peopleRows(digest, events),
      });
  }
  return blocks;
}

function sectionRow({ title, count, items }: DigestSection): SectionRow {
  const shown = items.length === count ? "" : `, ${formatExact(items.length)} shown`;
  return { kind: "section", text: `${title} (${formatExact(count)}${shown})` };
}

/**
 * Returns the rows of the accounts of one list. A scheduled digest names as many as an alert does,
 * other digests name all.
 */
function peopleRows(
  digest: Digest,
  events: readonly OutboxEvent[],
): readonly (ItemRow | MoreRow)[] {
  const most =
    digest.cause === "schedule" || digest.cause === undefined ? MAX_PEOPLE : events.length;
  const more = events.slice(most);
  const rows = events.slice(0, most).map((event) => itemRow(digest, event, true));
  return more.length === 0
    ? rows
    : [...rows, { kind: "more", events: more, text: moreText({ more: more.length }) }];
}

function itemRow(digest: Digest, event: OutboxEvent, isInner: boolean): ItemRow {
  const message = digest.read(event);
  const value = digest.valueText?.(event) ?? "";
  if (!isInner)
    return { kind: "item", events: [event], line: lineOf(event, message), value, isInner };
  const { name, url, note } = personOf(event, message);
  return {
    kind: "item",
    events: [event],
    line: { label: name, words: note, ...linkOf(url) },
    value: "",
    isInner,
  };
}

function lineOf({ isEdited }: OutboxEvent, message: NeutralMessage): DigestLine {
  const line = digestLine(message);
  return isEdited === true ? { ...line, words: `(edited) ${line.words}`.trim() } : line;
}
