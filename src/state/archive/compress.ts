/** Compresses texts of the state, so that they stay texts: both engines store those alike. */
import { deflateRawSync, inflateRawSync } from "node:zlib";

export const compressText = (text: string): string => deflateRawSync(text).toString("base64");

export const expandCompressed = (text: string): string =>
  inflateRawSync(Buffer.from(text, "base64")).toString();
