/** Calls one tool by name: checks its arguments, and turns each failure into words and a way on. */
import type { z } from "zod";
import { ChirpwatchError, errorText } from "../../model/errors.ts";
import type { ReadTool } from "./tools.ts";

export interface ToolAnswer {
  /** JSON, or a sentence if the call failed. */
  readonly text: string;
  readonly isError: boolean;
}

const MAX_SHOWN = 80;
/** The words of zod for a value of another type. */
const TYPE = /^Invalid input: expected (\w+), received (\w+)$/;

/** Never rejects. */
export async function callTool(
  tools: readonly ReadTool[],
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<ToolAnswer> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined)
    return failed(
      `there is no tool "${name.slice(0, MAX_SHOWN)}" here, but ${tools.map((one) => one.name).join(", ")}`,
    );
  const read = tool.input.safeParse(given);
  if (!read.success)
    return failed(
      `${name} cannot be called like this: ${read.error.issues.map(problemText).join("; ")}. It takes ${Object.keys(tool.input.shape).join(", ") || "no arguments"}.`,
    );
  try {
    return { text: JSON.stringify(await tool.answer(read.data), undefined, 2), isError: false };
  } catch (error) {
    const hint = error instanceof ChirpwatchError ? error.hint : "";
    return failed([errorText(error), hint].filter((part) => part !== "").join("\n"));
  }
}

const failed = (text: string): ToolAnswer => ({ text, isError: true });

function problemText({ code, path, message, ...issue }: z.core.$ZodIssue): string {
  if (code === "unrecognized_keys") {
    const { keys = [] } = issue as { readonly keys?: readonly string[] };
    return `there is no ${keys.map((key) => `"${key.slice(0, MAX_SHOWN)}"`).join(", ")}`;
  }
  const said = TYPE.exec(message);
  const wording =
    said === null
      ? message
      : said[2] === "undefined"
        ? "is missing"
        : `must be of type ${said[1]}, not ${said[2]}`;
  return `${path.map(String).join(".")}: ${wording}`;
}
