/** Small pieces of Markdown for the reference pages. They do not depend on the content. */

/**
 * The first line of every generated page. It says where a reader who finds an error must change it.
 */
export const GENERATED = "<!-- Written by `npm run docs` from the code. Changes belong there. -->";

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ").trim();

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

export const code = (text: string): string => `\`${text}\``;

export const fenced = (language: string, text: string): string =>
  `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** Joins blocks with an empty line between them, and one newline at the end. */
export const page = (...blocks: readonly (string | readonly string[])[]): string =>
  `${blocks
    .flat()
    .filter((block) => block !== "")
    .join("\n\n")}\n`;

export const sentence = (text: string): string =>
  text === "" || /[.!?]$/.test(text) ? text : `${text}.`;
