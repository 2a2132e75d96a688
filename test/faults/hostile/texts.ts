/**
 * Texts written to break whatever reads them: names that every object has, numbers beyond all
 * bounds, halves of characters, and very long texts.
 */
import fc from "fast-check";
import { hostileText } from "../../render/hostile-text.ts";

const ODD_NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "then",
  "length",
  "",
  " ",
  "0",
  "-1",
];

const ODD_VALUES = [
  ...[
    "0",
    "-0",
    "-1",
    "1e400",
    "9007199254740993",
    "NaN",
    "Infinity",
    "null",
    "undefined",
    "true",
    "~",
    "0x1f",
    "1_000",
    ".inf",
    "1.5.2",
  ],
  ...[
    "1h",
    "-1h",
    "0s",
    "99999999999d",
    "1e9h",
    "@every 0s",
    "@every -1s",
    "* * * * *",
    "*/0 * * * *",
    "60 * * * *",
    "0 0 31 2 *",
  ],
  ...[
    "https://",
    "http://[::1",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "//evil.example",
    "https://a@b:c@d/",
  ],
  ...[
    "../../etc/passwd",
    "/dev/zero",
    "/proc/self/mem",
    "C:\\",
    "${HOME}",
    "${",
    "$$",
    "$",
    "${A:-${B}}",
    "${__proto__}",
  ],
  ...[
    "2026-02-30T25:61:61Z",
    "0000-00-00",
    "+275760-09-13T00:00:00.001Z",
    "-1d",
    "Europe/Nowhere",
    "(a+)+$",
    "[",
    "\\",
    "\u0000",
    "\ud800",
    "\ufeff",
  ],
];

export const oddName = fc.constantFrom(...ODD_NAMES);
export const oddValue = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...ODD_VALUES) },
  { weight: 2, arbitrary: hostileText },
);

/** A piece of text repeated many times, as long as a message may be or longer. */
export const longText = fc
  .tuple(
    fc.oneof(
      fc.constantFrom("a", "(", "[", "{", "-", " ", "\n", '"', "\\", "&", "ab ", "😀", "\u0301"),
      fc.string({ maxLength: 6 }),
    ),
    fc.nat(6_000),
  )
  .map(([piece, times]) => piece.repeat(times));

/** A text with parts cut out, inserted, doubled or taken from another text. */
export const damaged = (
  texts: readonly string[],
  scraps: fc.Arbitrary<string>,
): fc.Arbitrary<string> =>
  fc
    .record({
      text: fc.constantFrom(...texts),
      other: fc.constantFrom(...texts),
      blows: fc.array(
        fc.record({
          at: fc.nat(10_000),
          cut: fc.nat(12),
          put: scraps,
          kind: fc.constantFrom(
            "put" as const,
            "put" as const,
            "double" as const,
            "splice" as const,
          ),
        }),
        { maxLength: 4 },
      ),
    })
    .map(({ text, other, blows }) =>
      blows.reduce((left, { at, cut, put, kind }) => {
        const from = at % (left.length + 1);
        const piece =
          kind === "put"
            ? put
            : kind === "double"
              ? left.slice(from, from + cut * 8)
              : other.slice(at % (other.length + 1)).slice(0, cut * 20);
        return left.slice(0, from) + piece + left.slice(kind === "put" ? from + cut : from);
      }, text),
    );

/** Words of a language in any order, with a few that do not belong to it. */
export const shuffled = (
  words: readonly string[],
  glue: readonly string[],
  odd: fc.Arbitrary<string> = oddValue,
): fc.Arbitrary<string> =>
  fc
    .array(
      fc.tuple(
        fc.oneof(
          { weight: 8, arbitrary: fc.constantFrom(...words) },
          { weight: 1, arbitrary: odd },
          { weight: 1, arbitrary: oddName },
        ),
        fc.constantFrom(...glue),
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.flat().join(""));

/** A construct nested in itself many times. */
export const nested = (
  pairs: readonly (readonly [string, string])[],
  inner: fc.Arbitrary<string>,
): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...pairs),
      fc.oneof({ weight: 9, arbitrary: fc.nat(120) }, { weight: 1, arbitrary: fc.nat(20_000) }),
      inner,
    )
    .map(([[open, close], depth, text]) => open.repeat(depth) + text + close.repeat(depth));
