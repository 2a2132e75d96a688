/**
 * The console sink writes alerts as readable lines to the terminal. Contains their layout. Its only
 * output is `write`; it makes no requests.
 */
import colors from "picocolors";
import { z } from "zod";
import { isoTime } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { NeutralMessage } from "../model/message.ts";
import {
  type Batch,
  type Digest,
  type DigestPart,
  type SealedMessage,
  type Sink,
  SinkError,
  type SinkThreads,
} from "../model/sink.ts";
import { type DigestRow, digestPages } from "../render/digest-rows.ts";
import { digestHeading, digestName, digestNotes, digestRange } from "../render/digest-text.ts";
import { cardsOf } from "../render/people.ts";
import { headingOf, listLines } from "../render/messages/plain-message.ts";
import { cleanLine, cleanText } from "../render/text/clean-text.ts";
import { trimText } from "../render/text/trim-text.ts";
import { doubtsOfThreads } from "./kind/chat-doubts.ts";
import { threadSettings, threadsOf } from "./kind/thread-settings.ts";
import type { SinkDeps, SinkType } from "./kind/sink-type.ts";

const settingsSchema = z.strictObject(threadSettings);

/**
 * An alert in the stored body of a message. The text has no control characters and no colours,
 * because a later attempt may write to a different terminal.
 */
interface Line {
  readonly title: string;
  readonly body: readonly string[];
  readonly url: string;
  /** The page on which people act on the alert. */
  readonly actionsUrl?: string;
  readonly watches: string;
  readonly occurredAt: string;
  readonly alarming: boolean;
}

/** A line of a digest. */
interface Row {
  readonly kind: "section" | "people" | "more" | "item" | "inner";
  readonly text: string;
  readonly url: string;
}

interface ConsoleBody {
  readonly heading: string;
  readonly lines: readonly Line[];
  /** The rows of a digest. */
  readonly rows?: readonly Row[];
  /** Where to find the alerts that a digest only counts, and where to act on its alerts. */
  readonly footer?: string;
  /** The line that says who acknowledged the alerts. */
  readonly acknowledged?: string;
}

/** The maximum number of characters of an alert's text in a digest. */
const WORDS_CHARS = 110;
/**
 * The maximum number of rows in one message of a digest. A terminal has no such limit, but
 * rendering thousands of rows at once would block the event loop.
 */
const MAX_ROWS = 50;

export const consoleSink: SinkType<z.infer<typeof settingsSchema>> = {
  type: "console",
  summary: "Writes alerts to the terminal the daemon runs in.",
  schema: settingsSchema,
  secrets: [],
  example: "type: console\n",
  chat: false,
  concurrency: 1,
  answers: [{ answer: "written", means: "sent", example: { kind: "nothing" } }],
  doubts: (_name, settings) => doubtsOfThreads(settings),
  destinations: () => [{ kind: "console" }],
  describe: () => "console",
  create: async (name, settings, deps) =>
    createConsoleSink(name, threadsOf(settings, "console"), deps),
};

type Ways = Pick<SinkDeps, "write" | "writesToLog">;

function createConsoleSink(
  name: string,
  threads: SinkThreads | undefined,
  { write, writesToLog }: Ways,
): Sink {
  return {
    threads,
    render: (batch) => renderBatch(batch) as unknown as Json,
    footer: {
      add: (body, footer) => ({ ...(body as JsonObject), acknowledged: cleanLine(footer) }),
    },
    // Groups of any size are shown in full, unless they are digests. Throttled alerts are not
    // announced, because nobody waits for them at a terminal.
    lists: { above: Number.POSITIVE_INFINITY, render: renderDigest },
    async send(message) {
      await hand(write, writesToLog === true ? logLines(name, message) : laidOutBelow(message));
      return threads === undefined ? {} : { ref: message.id };
    },
  };
}

async function hand(write: SinkDeps["write"], text: string): Promise<void> {
  try {
    await write(text);
  } catch (error) {
    const hint = "Read the daemon's standard output, or redirect it to a file or to /dev/null.";
    throw new SinkError("transient", errorText(error), undefined, { hint, cause: error });
  }
}

/**
 * Returns one JSON line per alert, in the format of the daemon's own log, so that no text of a post
 * can look like a log line.
 */
function logLines(sink: string, { body, sealedAtMs }: SealedMessage): string {
  const { heading, lines, rows, acknowledged } = body as unknown as ConsoleBody;
  const common = {
    ...{ time: isoTime(sealedAtMs), sink },
    ...(heading === "" ? {} : { heading }),
    ...(acknowledged === undefined ? {} : { acknowledged }),
  };
  if (rows !== undefined) {
    const items = rows.filter(({ kind }) => kind === "item" || kind === "inner");
    const shown =
      items.length === 0
        ? [{}]
        : items.map(({ text: title, url }) => ({ title, ...(url === "" ? {} : { url }) }));
    return shown
      .map((line) => JSON.stringify({ level: "info", ...common, ...line, msg: "digest" }))
      .join("\n");
  }
  return lines
    .map(({ alarming, ...line }) =>
      JSON.stringify({ level: alarming ? "warn" : "info", ...common, ...line, msg: "alert" }),
    )
    .join("\n");
}

const laidOutBelow = (message: SealedMessage): string =>
  message.threadRef === undefined ? layOut(message) : indented(layOut(message));

/** Indents a message that follows the first one of its thread. */
const indented = (text: string): string =>
  text
    .trimEnd()
    .split("\n")
    .map((line, index) => `${index === 0 ? "  ↳ " : "    "}${line}\n`)
    .join("");

function renderBatch(batch: Batch): ConsoleBody {
  const cards = cardsOf(batch);
  return {
    heading: batch.sample ? "SAMPLE" : cleanLine(headingOf(batch, cards.length)),
    lines: cards.map(({ message }) => lineOf(message)),
  };
}

/** Renders a list. Every message after the first one says which of the alerts it lists. */
function* renderDigest(digest: Digest): Generator<DigestPart, void> {
  const room = [MAX_ROWS];
  const pages = digestPages(digest, {
    lineOf: rowOf,
    costs: () => [1],
    first: room,
    further: room,
  });
  const notes = digestNotes(digest).map(({ said, where }) => cleanLine(`${said} ${where}`));
  const footer = notes.length === 0 ? {} : { footer: notes.join("\n  ") };
  let next = 1;
  for (const { lines: rows, events } of pages) {
    const isFirst = next === 1;
    const heading = isFirst
      ? digestHeading(digest)
      : `${digestName(digest)} · ${digestRange(digest, next, events.length)}`;
    next += events.length;
    const body = { heading: cleanLine(heading), lines: [], rows, ...(isFirst ? footer : {}) };
    yield { events, body: body as unknown as Json };
  }
}

function rowOf(row: DigestRow): Row {
  if (row.kind !== "item") return { kind: row.kind, text: cleanLine(row.text), url: "" };
  const { line, value, isInner } = row;
  const label = cleanLine(line.label) || (row.events[0]?.event.subject ?? "");
  const words = trimText(cleanLine(line.words), WORDS_CHARS);
  const between = isInner && words !== "" ? " · " : " ";
  return {
    kind: isInner ? "inner" : "item",
    text: `${value === "" ? "" : `${value}  `}${label}${between}${words}`.trim(),
    url: line.url ?? "",
  };
}

function lineOf(message: NeutralMessage): Line {
  const { context } = message;
  // A context without a text only repeats what the title says, so it is left out.
  const quoted =
    context === undefined || context.body === "" ? [] : [`${context.label}: ${context.body}`];
  const facts = message.facts.map((fact) => `${fact.name} ${fact.value}`).join(" · ");
  return {
    title: cleanLine(message.title),
    body: [message.body, ...listLines(message), ...quoted, facts]
      .flatMap((text) => cleanText(text).replace(/\t/g, "  ").split("\n"))
      .filter((text) => text.trim() !== ""),
    url: cleanLine(message.url ?? ""),
    ...(message.actionsUrl === undefined ? {} : { actionsUrl: message.actionsUrl }),
    watches: cleanLine(message.watches.join(", ")),
    occurredAt:
      message.occurredAt ??
      new Date(message.occurredAtMs).toISOString().slice(0, 19).replace("T", " "),
    alarming: message.severity !== "info" && message.severity !== "",
  };
}

function layOut(message: SealedMessage): string {
  const { acknowledged } = message.body as unknown as ConsoleBody;
  return `${layOutAlerts(message)}${acknowledged === undefined ? "" : `  ${colors.dim(acknowledged)}\n`}`;
}

function layOutAlerts(message: SealedMessage): string {
  const { heading, lines, rows, footer } = message.body as unknown as ConsoleBody;
  if (rows !== undefined)
    return `${[colors.yellow(heading), ...rows.map(layOutRow), ...(footer === undefined ? [] : [`  ${footer}`])].join("\n")}\n`;
  const blocks = lines.map(layOutLine);
  if (heading === "") return `${blocks.join("\n")}\n`;
  // The alerts below a heading with their number are indented, to show that they belong to it.
  const own = lines.length > 1 ? blocks.map((block) => block.replace(/^/gm, "  ")) : blocks;
  return `${[colors.yellow(heading), ...own].join("\n")}\n`;
}

function layOutRow({ kind, text, url }: Row): string {
  if (kind === "section") return `  ${colors.bold(text)}`;
  const shown = url === "" ? text : `${text} ${colors.underline(url)}`;
  return kind === "people" || kind === "more" ? `  ${shown}` : `  ${colors.green("•")} ${shown}`;
}

/**
 * Matches the beginning of lines that look like JSON. Alerts and the log often share one output, as
 * in a container, where such a line could be mistaken for a line of the log.
 */
const LIKE_JSON = /^\s*(?=[{["])/;

function layOutLine(line: Line): string {
  const mark = line.alarming ? colors.red("!") : colors.green("•");
  const watches = line.watches === "" ? "" : ` ${colors.cyan(`[${line.watches}]`)}`;
  const head = `${mark} ${colors.dim(line.occurredAt)}${watches} ${colors.bold(line.title)}`;
  const { actionsUrl = "" } = line;
  const rest = [
    ...line.body,
    ...(line.url === "" ? [] : [colors.underline(line.url)]),
    ...(actionsUrl === "" ? [] : [`Act on it: ${colors.underline(actionsUrl)}`]),
  ];
  return [head, ...rest.map((text) => `    ${text.replace(LIKE_JSON, "› ")}`)].join("\n");
}
