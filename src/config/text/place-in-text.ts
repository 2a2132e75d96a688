/** Finds the place in the file of an offset in a text, even if the text has several lines. */
import { offsetInto, type Place } from "../tree.ts";

/**
 * Returns the place of the offset. If the file does not contain the text letter by letter, because
 * it is folded or has escapes, returns the place where the text begins.
 */
export function placeInText(place: Place, text: string, offset: number): Place {
  const source = place.file.text;
  if (source[place.offset] !== "|") return offsetInto(place, text, offset);
  let lineStart = source.indexOf("\n", place.offset) + 1;
  const lines = text.slice(0, offset).split("\n");
  const wanted = text.split("\n").slice(0, lines.length);
  for (const [index, line] of wanted.entries()) {
    const lineEnd =
      source.indexOf("\n", lineStart) < 0 ? source.length : source.indexOf("\n", lineStart);
    const written = source.slice(lineStart, lineEnd).replace(/\r$/, "");
    const indent = written.length - line.length;
    if (
      line !== "" &&
      (indent < 0 || !written.endsWith(line) || written.slice(0, indent).trim() !== "")
    )
      return place;
    if (index === wanted.length - 1)
      return {
        file: place.file,
        offset: lineStart + Math.max(0, indent) + (lines.at(-1) ?? "").length,
      };
    lineStart = lineEnd + 1;
  }
  return place;
}
