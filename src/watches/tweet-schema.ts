/**
 * The schema of a tweet: its id, in quotes, or its link. Shared by every watch type that is about
 * one tweet.
 */
import { z } from "zod";

const TWEET = /^(?:https?:\/\/\S+\/status(?:es)?\/)?(\d+)\/?(?:[?#].*)?$/;

/** Parses an id or a link to the tweet's id. */
export const tweetSchema = z.string().transform((text, context): string => {
  const id = TWEET.exec(text.trim())?.[1];
  if (id !== undefined) return id;
  context.addIssue({
    code: "custom",
    message: `"${text}" is not a tweet: write its id in quotes ("2029911223344556677") or its link`,
  });
  return z.NEVER;
});
