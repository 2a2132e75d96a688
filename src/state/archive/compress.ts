/**
 * Compresses texts for the state. The compressed text is base64, because both databases store texts
 * in the same way.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";

export const compressText = (text: string): string => deflateRawSync(text).toString("base64");

export const expandCompressed = (text: string): string =>
  inflateRawSync(Buffer.from(text, "base64")).toString();
