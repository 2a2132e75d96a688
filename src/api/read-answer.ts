/** From a 200 answer to one page or one object, by the endpoint's row. */
import type { Json, JsonObject } from "../model/json.ts";
import type { UpstreamAnswer } from "../model/upstream.ts";
import { decodeTexts } from "./decode-text.ts";
import type { AnswerShape, Endpoint } from "./endpoint.ts";
import { parseBody, unusable } from "./parse-body.ts";
import { isRaw, type Raw } from "./read-value.ts";

type Content = Pick<UpstreamAnswer, "tweets" | "users" | "record">;

/**
 * @throws UpstreamError `transient` when the answer is not what the endpoint promises: then it says
 * nothing at all.
 */
export function readAnswer(
  endpoint: Endpoint,
  body: string,
  status: number,
  sentCursor: string | undefined,
): UpstreamAnswer {
  const raw = parseBody(body, status);
  // A cursor is no text: it goes back as it came.
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
 * Null is an empty array; a missing one, or an item without an id, makes the whole page unusable.
 */
function readItems<T extends JsonObject & { readonly id: string }>(
  raw: Raw,
  name: string,
  read: (item: Raw) => T,
  status: number,
): readonly T[] {
  const items = raw[name];
  if (items === null) return [];
  if (!Array.isArray(items)) throw unusable(`the answer has no "${name}"${said(raw)}`, status);
  return items.map((item: Json) => {
    const found = isRaw(item) ? read(item) : undefined;
    if (found === undefined || found.id === "")
      throw unusable(`the answer has an entry of "${name}" without an id`, status);
    return found;
  });
}

const said = (raw: Raw): string =>
  typeof raw["message"] === "string" ? `: ${raw["message"].slice(0, 200)}` : "";

/**
 * The end is null, absent, "", "0", 0, or the cursor just sent; anything else is passed on as it
 * came.
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
