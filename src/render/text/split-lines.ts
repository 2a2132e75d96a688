/** Splits lines into as few messages as their limits allow, in order. Nothing is split, nothing is left out. */

/** `costs` of a line are in the units of `budgets`, one for each limit. A line that alone exceeds a budget gets a message of its own. */
function splitLines<T>(lines: readonly T[], costs: (line: T) => readonly number[], budgets: readonly number[]): readonly T[][] {
  const messages: T[][] = [];
  let room: readonly number[] = [];
  for (const line of lines) {
    const needed = costs(line);
    const fits = messages.length > 0 && needed.every((units, index) => units <= (room[index] ?? 0));
    if (!fits) {
      messages.push([]);
      room = budgets;
    }
    messages.at(-1)?.push(line);
    room = room.map((units, index) => units - (needed[index] ?? 0));
  }
  return messages;
}

/**
 * The lines of a digest by message. `top` has the first message to itself, as far as it fits; without it all messages are filled alike. At
 * least one message.
 */
export function splitDigest<T>(
  top: readonly T[],
  rest: readonly T[],
  costs: (line: T) => readonly number[],
  budgets: readonly number[],
): readonly (readonly T[])[] {
  const [first, ...overflow] = splitLines(top, costs, budgets);
  const others = splitLines([...overflow.flat(), ...rest], costs, budgets);
  if (first !== undefined) return [first, ...others];
  return others.length === 0 ? [[]] : others;
}

/** Texts of at most `limit` units, cut between lines; a longer line stays whole. */
export function joinLines(lines: readonly string[], limit: number): readonly string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    if (last === undefined || last.length + 1 + line.length > limit) texts.push(line);
    else texts[texts.length - 1] = `${last}\n${line}`;
  }
  return texts;
}
