/**
 * The schema of a public list: its id, in quotes, or its link. Shared by every watch type that is
 * about one.
 */
import { z } from "zod";

const LIST = /^(?:https?:\/\/\S+\/lists\/)?(\d+)\/?(?:[?#].*)?$/;

/** Parses an id or a link to the list's id. */
export const listSchema = z
  .string()
  .transform((text) => LIST.exec(text.trim())?.[1] ?? "")
  .refine(
    (id) => id !== "",
    'not a list: write its id in quotes ("1388742069157900291") or its link',
  )
  .describe("The public list's id, in quotes, or its link.");
