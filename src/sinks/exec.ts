/**
 * The exec sink starts a program on this machine and writes the events to its standard input.
 * Contains its settings and the meaning of exit codes; the port `Outputs` starts and ends programs.
 */
import { z } from "zod";
import { parseDuration } from "../model/duration.ts";
import { errorText } from "../model/errors.ts";
import type { ProgramResult } from "../model/outputs.ts";
import { type Sink, SinkError, type SinkFailure } from "../model/sink.ts";
import { cleanLine } from "../render/text/clean-text.ts";
import { trimText } from "../render/text/trim-text.ts";
import { timeoutSetting } from "./kind/address-settings.ts";
import { eventDocument } from "./kind/event-json.ts";
import { programSetting } from "./kind/program-setting.ts";
import type { SinkDeps, SinkType } from "./kind/sink-type.ts";

const settingsSchema = z.strictObject({
  command: programSetting(
    "The program and its arguments. CHIRPWATCH_ALLOW_EXEC must list the program. Event data never becomes an argument.",
  ),
  timeout: timeoutSetting("30s"),
});

type ExecSettings = z.infer<typeof settingsSchema>;

export const execSink: SinkType<ExecSettings> = {
  type: "exec",
  summary: "Starts a program for every event and writes the event to its standard input as JSON.",
  schema: settingsSchema,
  secrets: [],
  example: "type: exec\ncommand: [/usr/local/bin/on-alert, brand]\n",
  chat: false,
  sendsEvents: "documents",
  concurrency: 1,
  answers: [
    { answer: "exit code 0", means: "sent", example: { kind: "exit", code: 0 } },
    { answer: "65", means: "refused", example: { kind: "exit", code: 65 } },
    {
      answer: "64, 77, 78, 126, 127, or not started",
      means: "closed",
      example: { kind: "exit", code: 77 },
    },
    {
      answer: "any other, a signal, too late",
      means: "passing",
      example: { kind: "exit", code: 1 },
    },
  ],
  destinations: ({ command: [path = ""] }) => [{ kind: "program", path }],
  describe: ({ command: [path = ""] }) => path,
  create: async (_name, settings, deps) => createExecSink(settings, deps),
};

/**
 * Creates the sink. A message may be sent twice; programs can recognise a repeat by the event's id
 * in the document.
 */
function createExecSink({ command, timeout }: ExecSettings, { outputs }: SinkDeps): Sink {
  const [path = "", ...args] = command;
  const timeoutMs = parseDuration(timeout) ?? 30_000;
  return {
    render: eventDocument,
    async send({ body }, signal) {
      const result = await outputs
        .run({ path, args, stdin: `${body as string}\n`, timeoutMs }, signal)
        .catch((error: unknown) => {
          throw notStarted(error, path);
        });
      if (result.end !== 0) throw classifyEnd(result, path, timeout);
      return {};
    },
  };
}

function notStarted(error: unknown, path: string): SinkError {
  const { code } = error as NodeJS.ErrnoException;
  const isPassing =
    code === "EAGAIN" || code === "ENOMEM" || code === "EMFILE" || code === "ETXTBSY";
  const hint =
    code === "ENOTALLOWED"
      ? `Add ${path} to the environment variable CHIRPWATCH_ALLOW_EXEC.`
      : "Check that the program exists and that the daemon's user may run it.";
  return new SinkError(
    isPassing ? "transient" : "destination",
    `${path} could not be started: ${errorText(error)}`,
    undefined,
    {
      hint: isPassing ? "" : hint,
      cause: error,
    },
  );
}

/**
 * The kind of failure that each exit code means. sysexits.h defines 64 to 78
 * (https://man.freebsd.org/cgi/man.cgi?sysexits), the shell 126 and 127. Any other code is
 * transient, so the message is tried again.
 */
const KINDS: Readonly<Record<number, SinkFailure>> = {
  64: "destination",
  65: "message",
  77: "destination",
  78: "destination",
  126: "destination",
  127: "destination",
};

function classifyEnd({ end, output }: ProgramResult, path: string, timeout: string): SinkError {
  const said = trimText(cleanLine(output), 200);
  const how =
    end === "timeout"
      ? `did not end within ${timeout} and was killed`
      : typeof end === "number"
        ? `ended with exit code ${end}`
        : `was ended by ${end}`;
  const kind = typeof end === "number" ? (KINDS[end] ?? "transient") : "transient";
  if (end === "timeout")
    return new SinkError(kind, `${path} ${how}`, undefined, {
      hint: "Make the program end sooner, or raise `timeout`.",
    });
  const hint =
    kind === "destination"
      ? "The program says that it cannot be used like this: check its arguments and its permissions."
      : "";
  return new SinkError(kind, `${path} ${how}${said === "" ? "" : `: ${said}`}`, undefined, {
    hint,
  });
}
