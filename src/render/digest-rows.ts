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

/** The sentence above rows that name several accounts of one list: "15 new followers of @acme". */
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
  /** The number by which the digest is sorted, as text; empty if it is not sorted by a number. */
  readonly value: string;
  /** Whether a sentence above the row says what happened to the account that the row names. */
  readonly isInner: boolean;
  /** Whether that sentence is a row below the heading of the section, and not the heading itself. */
  readonly isIndented: boolean;
}

/** A row that counts the accounts of a list that no row names: "+3 more". */
interface MoreRow {
  readonly kind: "more";
  readonly events: readonly OutboxEvent[];
  readonly text: string;
  readonly isIndented: boolean;
}

export type DigestRow = HeadRow | ItemRow | MoreRow;

/** The lines of one message. */
interface DigestPage<Line> {
  readonly lines: readonly Line[];
  readonly events: readonly OutboxEvent[];
}

interface RowLimits<Line> {
  /** Lays a row out as its sink shows it. Called once for each row that is shown. */
  lineOf(row: DigestRow): Line;
  /** Returns the cost of a line: one number for each limit of the sink, for example characters. */
  costs(line: Line): readonly number[];
  /**
   * The room for lines in the first message: one number for each limit, in the order of `costs`.
   */
  readonly first: readonly number[];
  /** The room for lines in each further message, in the same form as `first`. */
  readonly further: readonly number[];
}

/** A row in the layout of its sink, and the space that it takes. */
interface Measured<Line> {
  readonly row: DigestRow;
  readonly line: Line;
  readonly cost: readonly number[];
}

/**
 * Divides a digest into one or more pages, each the content of one message. A heading is followed
 * by at least one of its rows, and is repeated on the next page if its rows continue there. Rows
 * are laid out only when their page is requested, so that thousands of rows do not block the event
 * loop.
 */
export function* digestPages<Line>(
  digest: Digest,
  { lineOf, costs, first, further }: RowLimits<Line>,
): Generator<DigestPage<Line>, void> {
  const measured = (row: DigestRow): Measured<Line> => {
    const line = lineOf(row);
    return { row, line, cost: costs(line) };
  };
  let page: { readonly lines: Line[]; readonly events: OutboxEvent[] } = { lines: [], events: [] };
  let room = first;
  const addRows = (rows: readonly Measured<Line>[]) => {
    for (const { row, line, cost } of rows) {
      page.lines.push(line);
      if (row.kind === "item" || row.kind === "more") page.events.push(...row.events);
      room = room.map((units, index) => units - (cost[index] ?? 0));
    }
  };
  const fits = (rows: readonly Measured<Line>[]) =>
    room.every(
      (units, index) => rows.reduce((sum, { cost }) => sum + (cost[index] ?? 0), 0) <= units,
    );
  for (const { heads, rows } of blocksOf(digest)) {
    let above = heads.filter(({ isNew }) => isNew).map(({ row }) => measured(row));
    for (const row of rows) {
      const own = measured(row);
      if (!fits([...above, own]) && page.lines.length > 0) {
        yield page;
        page = { lines: [], events: [] };
        room = further;
        above = heads.map(
          ({ row: head }) =>
            above.find(({ row: shown }) => shown === head) ??
            measured({ ...head, text: `${head.text} (continued)` }),
        );
      }
      // Omit a heading that leaves no room for the row below it.
      addRows(fits([...above, own]) ? [...above, own] : [own]);
      above = [];
    }
  }
  yield page;
}

/** Rows below the same headings. A heading that is not new was already shown above earlier rows. */
interface Block {
  readonly heads: readonly { readonly row: HeadRow; readonly isNew: boolean }[];
  readonly rows: Iterable<ItemRow | MoreRow>;
}

function* blocksOf(digest: Digest): Generator<Block, void> {
  for (const section of digest.sections)
    if (section.items.length > 0) yield* sectionBlocks(digest, section);
}

function* sectionBlocks(digest: Digest, section: DigestSection): Generator<Block, void> {
  const cards = gatherPeople(section.items);
  const [only] = cards;
  const isOneList =
    cards.length === 1 && only !== undefined && only.length > 1 && only.length === section.count;
  if (isOneList && section.title !== "") {
    // The sentence about the accounts has the count, and often says what the heading would.
    const said = peopleSentence(only.length, only[0].event);
    const isSaid = section.isKind || said.endsWith(section.title);
    const text = isSaid ? said : `${section.title} · ${said}`;
    const heads = [{ row: { kind: "section", text }, isNew: true }] as const;
    return yield { heads, rows: peopleRows(digest, only, false) };
  }
  const title = section.title === "" ? undefined : sectionRow(section);
  for (const [index, events] of cards.entries()) {
    const above = title === undefined ? [] : [{ row: title, isNew: index === 0 }];
    const [first] = events;
    if (events.length === 1) yield { heads: above, rows: [itemRow(digest, first)] };
    else {
      const row: PeopleRow = { kind: "people", text: peopleSentence(events.length, first.event) };
      yield { heads: [...above, { row, isNew: true }], rows: peopleRows(digest, events, true) };
    }
  }
}

function sectionRow({ title, count, items }: DigestSection): SectionRow {
  const shown = items.length === count ? "" : `, ${formatExact(items.length)} shown`;
  return { kind: "section", text: `${title} (${formatExact(count)}${shown})` };
}

/**
 * Returns the rows of the accounts of one list. A digest that is sent on a schedule names at most
 * `MAX_PEOPLE` of them and counts the rest; other digests name all.
 */
function* peopleRows(
  digest: Digest,
  events: readonly OutboxEvent[],
  isIndented: boolean,
): Generator<ItemRow | MoreRow, void> {
  const most =
    digest.cause === "schedule" || digest.cause === undefined ? MAX_PEOPLE : events.length;
  const more = events.slice(most);
  for (const event of events.slice(0, most)) yield personRow(digest, event, isIndented);
  if (more.length > 0)
    yield { kind: "more", events: more, text: moreText({ more: more.length }), isIndented };
}

function itemRow(digest: Digest, event: OutboxEvent): ItemRow {
  const line = lineOf(event, digest.read(event));
  const value = digest.valueText?.(event) ?? "";
  return { kind: "item", events: [event], line, value, isInner: false, isIndented: false };
}

function personRow(digest: Digest, event: OutboxEvent, isIndented: boolean): ItemRow {
  const { name, url, note } = personOf(event, digest.read(event));
  const line = { label: name, words: note, ...linkOf(url) };
  return { kind: "item", events: [event], line, value: "", isInner: true, isIndented };
}

function lineOf({ isEdited }: OutboxEvent, message: NeutralMessage): DigestLine {
  const line = digestLine(message);
  return isEdited === true ? { ...line, words: `(edited) ${line.words}`.trim() } : line;
}
