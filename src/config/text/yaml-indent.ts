/**
 * Which line of a YAML text is indented so that it fits no line above it: what most of the parser's
 * complaints about structure come from. Pure.
 */

export interface Misindent {
  readonly offset: number;
  readonly message: string;
}

interface Line {
  readonly offset: number;
  readonly indent: number;
  readonly text: string;
}

/**
 * Checks the line of `offset` and the one after it: the parser complains of the value that the
 * wrong line seems to continue.
 */
export function findMisindent(text: string, offset: number): Misindent | undefined {
  const lines = linesOf(text);
  const at = lines.findLastIndex((line) => line.offset <= offset);
  return [at, at + 1]
    .map((index) => misindentOf(lines, index))
    .find((found) => found !== undefined);
}

/** Without those that are empty, or a comment alone. */
function linesOf(text: string): readonly Line[] {
  return [...text.matchAll(/^( *)([^\s#].*)$/gm)].map((match) => ({
    offset: match.index,
    indent: match[1]?.length ?? 0,
    text: (match[2] ?? "").replace(/\s+#.*$/, "").trimEnd(),
  }));
}

function misindentOf(lines: readonly Line[], index: number): Misindent | undefined {
  const [line, before] = [lines[index], lines[index - 1]];
  if (line === undefined || before === undefined || !/^- |^-$|^[^\s"'{[].*?:( |$)/.test(line.text))
    return undefined;
  const open = openIndents(lines.slice(0, index));
  const deepest = open.at(-1) ?? 0;
  if (open.includes(line.indent) || (line.indent > deepest && opensBlock(before.text)))
    return undefined;
  const fitting = [
    open.findLast((indent) => indent < line.indent),
    open.find((indent) => indent > line.indent),
  ];
  const cure = fitting.filter((indent) => indent !== undefined).join(" or ");
  return {
    offset: line.offset + line.indent,
    message: `this line is indented by ${spaces(line.indent)}: write ${cure}, like lines above it`,
  };
}

/** Of a key that was to be a part of the one above it. */
export const besideText = (key: string, above: string): string =>
  `\`${key}\` is on the level of \`${above}\`, not inside it: indent it further than \`${above}\``;

/** Where a next line may begin, from the outermost on: maps begin behind the `- ` of their item. */
function openIndents(lines: readonly Line[]): readonly number[] {
  const open: number[] = [];
  for (const { indent, text } of lines) {
    while ((open.at(-1) ?? -1) > indent) open.pop();
    if (open.at(-1) !== indent) open.push(indent);
    if (text.startsWith("- ")) open.push(indent + 2);
  }
  return open;
}

/** `key:`, `- key:`, `-`, `key: |` and `key: &name` go on below. */
const opensBlock = (text: string): boolean => /(:|^-)(\s+[&!]\S+)*$|:\s+[|>][-+0-9]*$/.test(text);

const spaces = (count: number): string =>
  count === 0 ? "no spaces" : count === 1 ? "1 space" : `${count} spaces`;
