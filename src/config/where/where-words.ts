/**
 * Finds operators of other languages in an expression that cannot be read, and says what to write
 * in CEL instead. Pure.
 */

export interface WordHint {
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

const HINTS: readonly (readonly [pattern: RegExp, instead: (found: string) => string])[] = [
  [/\b(?:and|AND|And)\b/, instead("&&")],
  [/\b(?:or|OR|Or)\b/, instead("||")],
  [/\b(?:not|NOT|Not)\b/, instead("!")],
  [/(?<!&)&(?!&)/, instead("&&")],
  [/(?<!\|)\|(?!\|)/, instead("||")],
  [/[=!]==/, (found) => `write ${found.slice(0, 2)} instead of ${found}`],
  [/=>/, instead(">=")],
  [/=</, instead("<=")],
  [/<>/, instead("!=")],
  [/(?<![=!<>])=(?![=<>])/, () => "write == to compare"],
  [/\bin\s*\((?=[^()]*,)/, () => "write a list in brackets: in [ … ]"],
];

function instead(operator: string): (found: string) => string {
  return (found) => `write ${operator} instead of ${found}`;
}

/**
 * Returns the first operator of another language that is not inside quotes. Undefined if there is
 * none.
 */
export function findForeignWord(expression: string): WordHint | undefined {
  const bare = expression.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, (text) =>
    "_".repeat(text.length),
  );
  const found = HINTS.flatMap(([pattern, say]) => {
    const match = pattern.exec(bare);
    return match === null
      ? []
      : [{ start: match.index, end: match.index + match[0].length, message: say(match[0]) }];
  });
  return found.toSorted((a, b) => a.start - b.start)[0];
}
