/**
 * Finds a line of YAML whose indentation fits no line above it, which causes most of the parser's
 * errors about structure. Pure.
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
 * Checks the line at `offset` and the next one, because the parser may report the error at the
 * value above the wrong line.
 */
export function findMisindent(text: string, offset: number): Misindent | undefined {
  const lines = linesOf(text);
  const at = lines.findLastIndex((line) => line.offset <= offset);
  return [at, at + 1]
    .map((index) => misindentOf(lines, index))
    .find((found) => found !== undefined);
}

/** Returns the lines that contain more than a comment or white space. */
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

/**
 * Returns the message about a key that should be indented, because it belongs inside the key above
 * it.
 */
export const besideText = (key: string, above: string): string =>
  `\`${key}\` is at the same level as \`${above}\`, not inside it: indent it further than \`${above}\``;

/**
 * Returns the indentations at which the next line may begin, the outermost first. The keys of a map
 * in a list begin behind the `- ` of its item.
 */
function openIndents(lines: readonly Line[]): readonly number[] {
  const open: number[] = [];
  for (const { indent, text } of lines) {
    while ((open.at(-1) ?? -1) > indent) open.pop();
    if (open.at(-1) !== indent) open.push(indent);
    if (text.startsWith("- ")) open.push(indent + 2);
  }
  return open;
}

/**
 * Whether a line ends with something whose value is on the lines below it, such as `key:`, `-
 * key:`, `-`, `key: |` or `key: &name`.
 */
const opensBlock = (text: string): boolean => /(:|^-)(\s+[&!]\S+)*$|:\s+[|>][-+0-9]*$/.test(text);

const spaces = (count: number): string =>
  count === 0 ? "no spaces" : count === 1 ? "1 space" : `${count} spaces`;
