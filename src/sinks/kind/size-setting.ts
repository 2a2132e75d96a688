/** Creates settings for sizes in bytes, such as the maximum size of a file or of a message. */
import { z } from "zod";
import { ownValue } from "../../model/own-value.ts";

const UNITS: Readonly<Record<string, number>> = { KB: 1_024, MB: 1_024 ** 2, GB: 1_024 ** 3 };
const SIZE = /^([1-9]\d{0,5})(KB|MB|GB)$/;

export const sizeSetting = (standard: string, examples: string) =>
  z.string().regex(SIZE, `must be a size like ${examples}`).default(standard);

/** Returns the number of bytes of a size that passed `sizeSetting`. */
export function bytesOf(size: string): number {
  const [, number = "0", unit = ""] = SIZE.exec(size) ?? [];
  return Number(number) * (ownValue(UNITS, unit) ?? 0);
}
