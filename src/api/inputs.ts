/**
 * The inputs, answers and cursors that several rows of the endpoint table share. The input schemas
 * refuse values that cannot be right before a request is paid for.
 */
import { z } from "zod";
import { normaliseTweet } from "./normalise/tweet.ts";
import { normaliseProfile, normaliseUser } from "./normalise/user.ts";

export const id = z.string().regex(/^\d{1,20}$/, "must be a string of digits");
export const username = z
  .string()
  .regex(/^@?[A-Za-z0-9_]{1,20}$/, "must be a handle: letters, digits and _")
  .transform((handle) => (handle.startsWith("@") ? handle.slice(1) : handle));

const WEB_ADDRESS = /^https?:\/\/[^/\s]+\/\S+$/i;
/** A complete URL. */
export const link = z.string().trim().regex(WEB_ADDRESS, "must be a link, https:// included");
/** A link or an id of digits, for inputs that accept either. */
export const linkOrId = z
  .string()
  .trim()
  .regex(/^(\d{1,20}|https?:\/\/[^/\s]+\/\S+)$/i, "must be a link, https:// included, or an id");
/** The id of a Space, which is the last part of its link: letters and digits. */
export const spaceId = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9]{1,40}$/, "must be the id of a Space: letters and digits");

export const query = z.string().trim().min(1, "must not be empty");
export const wholeNumber = z.union(
  [z.int().nonnegative(), z.string().regex(/^\d+$/).transform(Number)],
  "must be a whole number",
);
export const date = z.iso.date("must be a date like 2026-03-31");
export const order = z.enum(["popular", "latest"]);
export const batchOf = <T extends z.ZodType>(item: T, size: number) =>
  z
    .array(item)
    .min(1, "needs at least one entry")
    .max(size, `takes at most ${size} entries in one request`);

/** The three ways to identify an account; exactly one must be given. */
export const accountInputs = {
  user_link: link.optional(),
  username: username.optional(),
  user_id: id.optional(),
};
export const ACCOUNT_INPUTS = ["user_link", "username", "user_id"] as const;

export const tweets = { kind: "tweets", read: normaliseTweet } as const;
export const users = { kind: "users", read: normaliseUser } as const;
export const profiles = { kind: "users", read: normaliseProfile } as const;

export const textCursor = { param: "next_cursor", isNumber: false } as const;
/** The cursor of endpoints that expect it as an int64 (docs/service.md, section 1). */
export const numberCursor = { param: "next_cursor", isNumber: true } as const;
