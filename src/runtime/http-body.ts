/** Decodes the bytes of a response body to text: decompression, under a size limit. */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";
import { tooLarge, unreadable } from "./http-failure.ts";

const gunzipped = promisify(gunzip);
const inflated = promisify(inflate);
const inflatedRaw = promisify(inflateRaw);
const unbrotlied = promisify(brotliDecompress);

const utf8 = new TextDecoder();

/**
 * Returns the text of a body without its byte order mark. @throws HttpError HTTP_TOO_LARGE if it is
 * larger than `maxBytes` after decompression, HTTP_RESET if it cannot be decompressed
 */
export async function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<string> {
  let bytes = body;
  // The codings were applied in the order in which they are listed, so undo the last one first.
  for (const coding of codings(encoding).reverse()) bytes = await unpack(bytes, coding, maxBytes);
  return utf8.decode(bytes);
}

function codings(encoding: string | undefined): string[] {
  const names = (encoding ?? "").toLowerCase().split(",");
  return names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
}

async function unpack(body: Buffer, coding: string, maxBytes: number): Promise<Buffer> {
  if (body.length === 0) return body; // 204, 304 and empty answers may have the header too
  const limit = { maxOutputLength: maxBytes };
  try {
    if (coding === "gzip" || coding === "x-gzip") return await gunzipped(body, limit);
    if (coding === "br") return await unbrotlied(body, limit);
    if (coding === "deflate")
      return await (hasZlibHeader(body) ? inflated(body, limit) : inflatedRaw(body, limit));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE"
      ? tooLarge(maxBytes)
      : unreadable(coding, error);
  }
  throw unreadable(coding, undefined);
}

/**
 * Whether a body with the encoding "deflate" is in the zlib format, as the standard requires. Some
 * servers send raw deflate instead (RFC 9110, section 8.4.1.2).
 */
const hasZlibHeader = (body: Buffer): boolean =>
  (body[0] ?? 0) % 16 === 8 && body.readUInt16BE(0) % 31 === 0;
