/**
 * Reads the whole body of a request, with a limit on size and time. All routes use this function,
 * because the body limiter of the server's library answers 500 to chunked bodies on Node 20.
 */
import type { Context } from "hono";
import { type Clock, sleep } from "../../model/clock.ts";

const MAX_BODY_BYTES = 65_536;
const MAX_BODY_MS = 10_000;

/**
 * The status for a refused body: 413 if it is too large, 408 if it is too late, 400 if it is
 * incomplete.
 */
export type BodyRefusal = 413 | 408 | 400;

type Body = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly refusal: BodyRefusal };

/**
 * Reads the body. Never rejects. If the body is refused, the listener discards the rest of it or
 * closes the connection.
 */
export async function readBody(c: Context, clock: Clock): Promise<Body> {
  const reader = c.req.raw.body?.getReader();
  if (reader === undefined) return { bytes: new Uint8Array() };
  const over = new AbortController();
  const late = sleep(clock, MAX_BODY_MS, over.signal).then((): Body => ({ refusal: 408 }));
  const read = readAll(reader).catch((): Body => ({ refusal: 400 }));
  return Promise.race([read, late]).finally(() => over.abort());
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Body> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > MAX_BODY_BYTES) return { refusal: 413 };
    parts.push(part.value);
  }
  return { bytes: new Uint8Array(Buffer.concat(parts)) };
}

/** Returns the value of a JSON body; undefined if the body is not JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Returns the text fields of a form, without files; empty if the body is not a form. */
export async function parseForm(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<ReadonlyMap<string, string>> {
  const form = await new Response(bytes, { headers: { "content-type": contentType } })
    .formData()
    .catch(() => new FormData());
  return new Map(
    [...form].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}
