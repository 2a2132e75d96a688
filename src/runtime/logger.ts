/**
 * The log behind the Log port: JSON lines, or pretty ones on a terminal. Owns redaction and what
 * happens when nobody reads: lines are dropped and counted, the daemon never waits for its log.
 */
import { createRequire } from "node:module";
import { pino, stdSerializers, type Logger as Pino } from "pino";
import type { Log, LogFields } from "../model/log.ts";
import { createRedactor } from "./redaction.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/**
 * The part of a stream that is used: process.stdout, process.stderr. Writes to their pipes are
 * asynchronous and queue in memory.
 */
export interface LogStream {
  readonly isTTY?: boolean;
  readonly writableLength: number;
  write(text: string, done?: () => void): boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
}

export interface LoggerOptions {
  readonly level?: LogLevel;
  /** Where lines go. Default: stdout. */
  readonly stream?: LogStream;
  /** Default: pretty on a terminal, else JSON. */
  readonly format?: "json" | "pretty";
  /** Colours of the pretty format. Default: unless NO_COLOR is set. */
  readonly color?: boolean;
  /** Texts that must not appear in the output, wherever they stand. */
  readonly secrets?: readonly string[];
}

export interface Logger extends Log {
  /** One more text that must not appear from now on. */
  addSecret(secret: string): void;
  /**
   * Resolves when everything so far has been handed to the operating system, or after `timeoutMs`.
   */
  flush(timeoutMs?: number): Promise<void>;
  /** Lines dropped because nobody read the log. */
  dropped(): number;
}

/** Unread log that is kept in memory; lines beyond it are dropped. */
const MAX_BUFFERED_BYTES = 1_048_576;

/** Lines are written as they come; errors in `error` or `err` keep their code, hint and stack. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const stream = options.stream ?? process.stdout;
  const redactor = createRedactor(options.secrets ?? []);
  const format = options.format ?? (stream.isTTY ? "pretty" : "json");
  const render =
    format === "pretty"
      ? loadPretty(options.color ?? process.env["NO_COLOR"] === undefined)
      : (line: string) => line;
  let dropped = 0;
  let unreported = 0;
  stream.on("error", () => {
    dropped += 1; // A reader that went away (EPIPE) must not end the daemon.
  });
  const write = (line: string) => {
    if (stream.writableLength > MAX_BUFFERED_BYTES) {
      dropped += 1;
      unreported += 1;
      return;
    }
    const droppedLine =
      unreported > 0
        ? `${JSON.stringify({ level: "warn", time: new Date().toISOString(), lines: unreported, msg: "log lines dropped" })}\n`
        : "";
    unreported = 0;
    stream.write(`${droppedLine && render(droppedLine)}${render(redactor.redactJson(line))}`);
  };
  const root = pino(
    {
      level: options.level ?? "info",
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        err: stdSerializers.err,
        error: stdSerializers.err,
        cause: stdSerializers.err,
      },
    },
    { write },
  );
  return {
    ...wrap(root),
    addSecret: redactor.add,
    dropped: () => dropped,
    flush: (timeoutMs = 1_000) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        stream.write("", () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}

function wrap(pinoLog: Pino): Log {
  return {
    debug: (message, fields) => pinoLog.debug(fields ?? {}, message),
    info: (message, fields) => pinoLog.info(fields ?? {}, message),
    warn: (message, fields) => pinoLog.warn(fields ?? {}, message),
    error: (message, fields) => pinoLog.error(fields ?? {}, message),
    child: (fields: LogFields) => wrap(pinoLog.child(fields)),
  };
}

/** pino-pretty is loaded for a terminal only: it costs 30 ms that a service does not need. */
function loadPretty(color: boolean): (line: string) => string {
  const { prettyFactory } = createRequire(import.meta.url)("pino-pretty") as {
    prettyFactory(options: object): (line: string) => string;
  };
  return prettyFactory({
    colorize: color,
    translateTime: "SYS:HH:MM:ss",
    ignore: "pid,hostname",
    singleLine: true,
  });
}
