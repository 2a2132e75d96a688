/**
 * The file sink writes a line of JSON for every event. Contains its settings and the meaning of
 * disk errors; the port `Outputs` appends to the file and rotates it.
 */
import { z } from "zod";
import { errorText } from "../model/errors.ts";
import type { Outputs } from "../model/outputs.ts";
import { type Sink, SinkError } from "../model/sink.ts";
import { eventLines } from "./kind/event-json.ts";
import { bytesOf, sizeSetting } from "./kind/size-setting.ts";
import type { SinkType } from "./kind/sink-type.ts";
import { ownValue } from "../model/own-value.ts";

const settingsSchema = z.strictObject({
  path: z
    .string()
    .refine(
      (path) => path.trim() !== "" && !path.endsWith("/"),
      "must be the path of a file, like alerts/events.ndjson",
    )
    .describe(
      "Path of the file, relative to CHIRPWATCH_DATA_DIR if that is set, otherwise to the configuration file.",
    ),
  max_size: sizeSetting("100MB", "500KB, 100MB or 2GB").describe(
    "The file is rotated before it grows beyond this.",
  ),
  keep: z
    .int()
    .min(0)
    .max(1_000)
    .default(5)
    .describe("How many rotated files are kept, from `<path>.1`, the newest, to `<path>.<keep>`."),
});

type FileSettings = z.infer<typeof settingsSchema>;

export const fileSink: SinkType<FileSettings> = {
  type: "file",
  summary: "Appends every event to a file, one line of JSON each, and rotates it by size.",
  schema: settingsSchema,
  secrets: [],
  paths: ["path"],
  rotatedPaths: ({ path, keep }) => Array.from({ length: keep }, (_, n) => `${path}.${n + 1}`),
  example: "type: file\npath: alerts/events.ndjson\nmax_size: 100MB\n",
  chat: false,
  sendsEvents: "lines",
  concurrency: 1,
  answers: [
    { answer: "written", means: "sent", example: { kind: "nothing" } },
    { answer: "disk full or broken", means: "passing", example: { kind: "disk", code: "ENOSPC" } },
    {
      answer: "no permission, no file",
      means: "closed",
      example: { kind: "disk", code: "EACCES" },
    },
  ],
  destinations: () => [{ kind: "file" }],
  describe: ({ path }) => path,
  create: async (_name, settings, { outputs }) => createFileSink(settings, outputs),
};

function createFileSink({ path, max_size: maxSize, keep }: FileSettings, outputs: Outputs): Sink {
  return {
    render: eventLines,
    async send({ body }) {
      try {
        await outputs.append({ path, text: body as string, maxBytes: bytesOf(maxSize), keep });
        return {};
      } catch (error) {
        throw classifyDiskError(error, path);
      }
    },
  };
}

/**
 * Errors that are transient, with a hint for each: they end without help, or when somebody frees
 * space. Any other error is caused by the path, so every message would fail with it.
 */
const PASSING: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: free some space, or lower `max_size` and `keep`.",
  EDQUOT: "The quota of this disk is used up: free some space, or lower `max_size` and `keep`.",
  EIO: "The disk reports an error: check it.",
  EMFILE: "",
  ENFILE: "",
  EAGAIN: "",
  EBUSY: "",
  ESTALE: "",
};

function classifyDiskError(error: unknown, path: string): SinkError {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const passing = ownValue(PASSING, code);
  const message = `${path} could not be written: ${errorText(error)}`;
  if (passing !== undefined)
    return new SinkError("transient", message, undefined, { hint: passing, cause: error });
  const hint = "Set `path` to a file in a folder that the daemon's user may write to.";
  return new SinkError("destination", message, undefined, { hint, cause: error });
}
