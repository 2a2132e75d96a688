/** Joins lines into texts within a limit, in order. Nothing is split or left out. */

/**
 * Joins lines with newlines into texts of at most `limit` UTF-16 units, each as long as possible. A
 * line that is longer than `limit` becomes a text of its own.
 */
export function joinLines(lines: readonly string[], limit: number): readonly string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    if (last === undefined || last.length + 1 + line.length > limit) texts.push(line);
    else texts[texts.length - 1] = `${last}\n${line}`;
  }
  return texts;
}
