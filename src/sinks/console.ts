/** The console sink: alerts as readable lines on the terminal. Owns their layout; `write` is its only way out, and it calls nothing. */
import colors from "picocolors";
import { z } from "zod";
import type { Json } from "../model/json.ts";
import type { NeutralMessage } from "../model/message.ts";
import type { Batch, SealedMessage, Sink, SinkThreads } from "../model/sink.ts";
import { digestHeading } from "../render/digest-text.ts";
import { cleanLine, cleanText } from "../render/text/clean-text.ts";
import { doubtsOfThreads } from "./kind/chat-doubts.ts";
import { threadSettings, threadsOf } from "./kind/thread-settings.ts";
import type { SinkType } from "./kind/sink-type.ts";

const settingsSchema = z.strictObject(threadSettings);

/** What is sealed: already harmless text, not yet coloured, because the terminal of a later attempt may be another one. */
interface Line {
  readonly title: string;
  readonly body: readonly string[];
  readonly url: string;
  readonly watches: string;
  readonly occurredAt: string;
  readonly alarming: boolean;
}

interface ConsoleBody {
  readonly heading: string;
  readonly lines: readonly Line[];
}

export const consoleSink: SinkType<z.infer<typeof settingsSchema>> = {
  type: "console",
  summary: "Writes alerts to the terminal the daemon runs in.",
  schema: settingsSchema,
  secrets: [],
  example: "type: console\n",
  chat: false,
  concurrency: 1,
  doubts: (_name, settings) => doubtsOfThreads(settings),
  destinations: () => [{ kind: "console" }],
  describe: () => "console",
  create: async (_name, settings, deps) => createConsoleSink(threadsOf(settings, "console"), deps.write),
};

function createConsoleSink(threads: SinkThreads | undefined, write: (text: string) => void): Sink {
  return {
    ...(threads === undefined ? {} : { threads }),
    render: (batch) => renderBatch(batch) as unknown as Json,
    async send(message) {
      const text = layOut(message);
      write(message.threadRef === undefined ? text : indented(text));
      return threads === undefined ? {} : { ref: message.id };
    },
  };
}

/** Below the first message of its thread. */
const indented = (text: string): string =>
  text
    .trimEnd()
    .split("\n")
    .map((line, index) => `${index === 0 ? "  ↳ " : "    "}${line}\n`)
    .join("");

function renderBatch(batch: Batch): ConsoleBody {
  const { events, sample, cause, read } = batch;
  const list = events.length > 1 ? digestHeading({ cause, top: [], rest: events, unlisted: undefined, read }) : "";
  return { heading: sample ? "SAMPLE" : list, lines: events.map((event) => lineOf(read(event))) };
}

function lineOf(message: NeutralMessage): Line {
  const { context } = message;
  // A context without words of its own only repeats the title.
  const quoted = context === undefined || context.body === "" ? [] : [`${context.label}: ${context.body}`];
  const facts = message.facts.map((fact) => `${fact.name} ${fact.value}`).join(" · ");
  return {
    title: cleanLine(message.title),
    body: [message.body, ...quoted, facts]
      .flatMap((text) => cleanText(text).replace(/\t/g, "  ").split("\n"))
      .filter((text) => text.trim() !== ""),
    url: cleanLine(message.url ?? ""),
    watches: cleanLine(message.watches.join(", ")),
    occurredAt: message.occurredAt ?? new Date(message.occurredAtMs).toISOString().slice(0, 19).replace("T", " "),
    alarming: message.severity !== "info" && message.severity !== "",
  };
}

function layOut(message: SealedMessage): string {
  const { heading, lines } = message.body as unknown as ConsoleBody;
  const blocks = lines.map(layOutLine);
  if (heading === "") return `${blocks.join("\n")}\n`;
  // What stands below a number belongs to it.
  const own = lines.length > 1 ? blocks.map((block) => block.replace(/^/gm, "  ")) : blocks;
  return `${[colors.yellow(heading), ...own].join("\n")}\n`;
}

function layOutLine(line: Line): string {
  const mark = line.alarming ? colors.red("!") : colors.green("•");
  const watches = line.watches === "" ? "" : ` ${colors.cyan(`[${line.watches}]`)}`;
  const head = `${mark} ${colors.dim(line.occurredAt)}${watches} ${colors.bold(line.title)}`;
  const rest = [...line.body, ...(line.url === "" ? [] : [colors.underline(line.url)])];
  return [head, ...rest.map((text) => `    ${text}`)].join("\n");
}
