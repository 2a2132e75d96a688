/** Converts a successful answer to one page or one object, as the endpoint's row describes it. */
import type { Json, JsonObject } from "../model/json.ts";
import type { UpstreamAnswer } from "../model/upstream.ts";
import { decodeTexts } from "./decode-text.ts";
import type { AnswerShape, Endpoint } from "./endpoint.ts";
import { parseBody, unusable } from "./parse-body.ts";
import { isRaw, type Raw } from "./read-value.ts";

type Content = Pick<UpstreamAnswer, "tweets" | "users" | "record">;

/**
 * Reads an answer. @throws UpstreamError `transient` if the answer does not have the shape that the
 * endpoint's row describes, so that it is not known whether there are items
 */
export function readAnswer(
  endpoint: Endpoint,
  body: string,
  status: number,
  sentCursor: string | undefined,
): UpstreamAnswer {
  const raw = parseBody(body, status);
  // The cursor is not decoded, because it must be sent back exactly as the service sent it.
  const nextCursor =
    endpoint.cursor === undefined ? undefined : readCursor(raw["next_cursor"], sentCursor, status);
  const content = readContent(endpoint.answer, decodeTexts(raw), status);
  return nextCursor === undefined ? content : { ...content, nextCursor };
}

function readContent(shape: AnswerShape, raw: Raw, status: number): Content {
  if (shape.kind === "record") return { record: shape.read(raw) };
  if (shape.kind === "users") return { users: readItems(raw, "users", shape.read, status) };
  return { tweets: readItems(raw, "tweets", shape.read, status) };
}

/**
 * Reads the items of a page. Null means that there are none. If the array or the id of an item is
 * missing, the whole page is unusable.
 */
function readItems<T extends JsonObject & { readonly id: string }>(
  raw: Raw,
  name: string,
  read: (item: Raw) => T,
  status: number,
): readonly T[] {
  const items = raw[name];
  if (items === null) return [];
  if (!Array.isArray(items)) throw unusable(`the answer has no "${name}"${messageOf(raw)}`, status);
  return items.map((item: Json) => {
    const found = isRaw(item) ? read(item) : undefined;
    if (found === undefined || found.id === "")
      throw unusable(`the answer has an entry of "${name}" without an id`, status);
    return found;
  });
}

const messageOf = (raw: Raw): string =>
  typeof raw["message"] === "string" ? `: ${raw["message"].slice(0, 200)}` : "";

/**
 * Reads the cursor of the next page. The list ends if the cursor is null, absent, "", "0", 0, or
 * the cursor that was just sent.
 */
function readCursor(
  value: Json | undefined,
  sent: string | undefined,
  status: number,
): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "string" && typeof value !== "number")
    throw unusable("the cursor of the answer is neither text nor number", status);
  const cursor = String(value);
  return cursor === "" || cursor === "0" || cursor === sent ? undefined : cursor;
}
