/** Joins lines into texts within a limit, in order. Nothing is split or left out. */

/** Returns texts of at most `limit` units, divided between lines. A longer line stays whole. */
export function joinLines(lines: readonly string[], limit: number): readonly string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    if (last === undefined || last.length + 1 + line.length > limit) texts.push(line);
    else texts[texts.length - 1] = `${last}\n${line}`;
  }
  return texts;
}
