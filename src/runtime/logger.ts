/**
 * Implements the Log port. Writes lines of JSON, or more readable lines on a terminal. Redacts
 * secrets. If the log is not read, lines are dropped and counted, because the daemon never waits
 * for its log.
 */
import { createRequire } from "node:module";
import { pino, stdSerializers, type Logger as Pino } from "pino";
import type { Log, LogFields } from "../model/log.ts";
import { createRedactor } from "./redaction.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/**
 * The part of process.stdout or process.stderr that is used. Writes to pipes are asynchronous and
 * queue in memory.
 */
export interface LogStream {
  readonly isTTY?: boolean;
  readonly writableLength: number;
  write(text: string, done?: () => void): boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
}

export interface LoggerOptions {
  readonly level?: LogLevel;
  /** The stream that gets the lines. Default: stdout. */
  readonly stream?: LogStream;
  /** The format of lines. Default: pretty on a terminal, otherwise JSON. */
  readonly format?: "json" | "pretty";
  /** Whether the pretty format uses colours. Default: yes, unless NO_COLOR is set. */
  readonly color?: boolean;
  /** Texts that must not appear anywhere in the output. */
  readonly secrets?: readonly string[];
}

export interface Logger extends Log {
  /** Adds a text that must not appear in the output from now on. */
  addSecret(secret: string): void;
  /**
   * Resolves when all lines so far have been handed to the operating system, or after `timeoutMs`.
   */
  flush(timeoutMs?: number): Promise<void>;
  /** Returns the number of lines that were dropped because the log was not read. */
  dropped(): number;
}

/** The maximum size of unread log lines in memory. Further lines are dropped. */
const MAX_BUFFERED_BYTES = 1_048_576;

/**
 * Creates the logger. Each line is written at once. Errors in the fields `error`, `err` and `cause`
 * keep their code, hint and stack.
 */
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

/**
 * Loads pino-pretty. Called only for a terminal, because loading takes 30 ms, which would delay the
 * start of a service.
 */
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
