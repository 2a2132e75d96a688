/**
 * The schema of a community: its id, in quotes, or its link. Shared by every watch type that is
 * about one.
 */
import { z } from "zod";

/** Parses an id or a link to the community's id. */
export const communitySchema = z
  .string()
  .transform((text) => /(?:^|\/communities\/)(\d+)\/?(?:[?#].*)?$/.exec(text.trim())?.[1] ?? "")
  .refine(
    (id) => id !== "",
    'not a community: write its id in quotes ("1493446837214187523") or its link',
  )
  .describe("The community's id, in quotes, or its link.");
