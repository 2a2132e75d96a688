/**
 * A stand-in for a Teams workflow that shows Adaptive Cards. Checks the size of a card, and the
 * fields of the elements that are used.
 */

/** https://learn.microsoft.com/en-us/connectors/teams/#known-issues-and-limitations-with-actions */
const MESSAGE_BYTES = 28 * 1_024;

type Element = Readonly<Record<string, unknown>>;

const elementsIn = (value: unknown): readonly Element[] => {
  if (typeof value !== "object" || value === null) return [];
  const own = "type" in value ? [value as Element] : [];
  return [...own, ...Object.values(value).flatMap(elementsIn)];
};

const KNOWN = new Set([
  "message",
  "AdaptiveCard",
  "RichTextBlock",
  "TextRun",
  "Container",
  "Image",
  "Action.OpenUrl",
]);

/** Returns why Teams would refuse or not show the message, or undefined if it shows it. */
export function teamsRefusal(message: object): string | undefined {
  const text = JSON.stringify(message);
  if (Math.max(Buffer.byteLength(text), Buffer.byteLength(text, "utf16le")) > MESSAGE_BYTES)
    return "Request Entity too large";
  const elements = elementsIn(message);
  const unknown = elements.find(({ type }) => !KNOWN.has(type as string));
  if (unknown !== undefined) return `unknown element ${String(unknown["type"])}`;
  if (!elements.some(({ type }) => type === "RichTextBlock")) return "an empty card";
  if (
    elements.some(
      ({ type, text: shown }) => type === "TextRun" && (typeof shown !== "string" || shown === ""),
    )
  )
    return "an empty run";
  const isAddress = (url: unknown) =>
    typeof url === "string" && /^https?:/.test(url) && URL.canParse(url);
  return elements.every(({ type, url }) => !/Image|Action/.test(type as string) || isAddress(url))
    ? undefined
    : "a link is none";
}

/** Returns the card's text as people see it, with each link behind the words it belongs to. */
export const teamsText = (message: unknown): string =>
  elementsIn(message)
    .filter(({ type }) => type === "RichTextBlock")
    .map(({ inlines }) =>
      (
        inlines as readonly {
          readonly text: string;
          readonly selectAction?: { readonly url: string };
        }[]
      )
        .map(({ text, selectAction }) =>
          selectAction === undefined || selectAction.url === text
            ? text
            : `${text} ${selectAction.url}`,
        )
        .join(""),
    )
    .join("\n");

/** Text that a card would evaluate or treat as a mention. */
export const LIVE_TEAMS = /\{\{|<\/?at\b/i;
