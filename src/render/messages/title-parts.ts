/** Finds the author in a title, so that a sink can link the name there or leave it out. */
import type { NeutralMessage } from "../../model/message.ts";

export interface TitleParts {
  readonly before: string;
  /** `Alice (@alice)`, as in the title; "" if the title does not name its author. */
  readonly author: string;
  readonly after: string;
}

export function titleParts({ title, author }: NeutralMessage): TitleParts {
  if (author === undefined) return { before: title, author: "", after: "" };
  for (const name of [`${author.name} (@${author.handle})`, `@${author.handle}`, author.name]) {
    const at = name.length > 1 ? title.indexOf(name) : -1;
    if (at >= 0)
      return { before: title.slice(0, at), author: name, after: title.slice(at + name.length) };
  }
  return { before: title, author: "", after: "" };
}

/**
 * Returns the title for use next to a line that already names the author: "Replied to @bob", "A post
 * was edited", "@acme has a new follower". If the title needs its author, it is returned whole. It
 * is empty if it only says that the author posted, which the post below it shows.
 */
export function titleWithoutAuthor(message: NeutralMessage): string {
  const { before, author, after } = titleParts(message);
  if (author === "") return message.title;
  const rest = restOf(before, after);
  if (rest === "posted") return "";
  return rest === "" ? message.title : rest.charAt(0).toUpperCase() + rest.slice(1);
}

function restOf(before: string, after: string): string {
  if (before === "") return after.replace(/^[:\s]+/, "");
  if (before.endsWith(" by ") && after !== "") return `${before.slice(0, -" by ".length)}${after}`;
  return before.endsWith(": ") && after === "" ? before.slice(0, -": ".length) : "";
}
