/** The console of the demo: holds alerts back until it is opened, and counts them one by one. */
import { stripVTControlCharacters } from "node:util";

export interface AlertScreen {
  /** Takes what the console sink prints. */
  write(text: string): void;
  /** Shows the alerts that were held back, and every later alert immediately. */
  open(): void;
  /** The number of alerts so far, shown or held back. */
  readonly count: number;
  /** The number of alerts whose text equals that of an earlier alert. */
  readonly repeats: number;
}

export function createAlertScreen(out: (text: string) => void): AlertScreen {
  const held: string[] = [];
  const seen = new Set<string>();
  let isOpen = false;
  let count = 0;
  const show = (text: string) => out(indent(text.trimEnd()));
  return {
    write(text) {
      for (const alert of alertsIn(text)) {
        count += 1;
        seen.add(alert);
      }
      if (isOpen) show(text);
      else held.push(text);
    },
    open() {
      isOpen = true;
      for (const text of held.splice(0)) show(text);
    },
    get count() {
      return count;
    },
    get repeats() {
      return count - seen.size;
    },
  };
}

/**
 * Splits a message into alerts, and removes their indentation. A message of the console sink can
 * hold several alerts below a line with their number, and is indented further if it belongs to a
 * thread.
 */
function alertsIn(text: string): readonly string[] {
  const plain = stripVTControlCharacters(text.trimEnd());
  const message = plain.startsWith("  ↳ ") ? plain.replace(/^.{4}/gm, "") : plain;
  const parts = message
    .split(/\n(?=(?: {2})?[•!] )/)
    .filter((part) => /^(?: {2})?[•!] /.test(part));
  return parts.map((part) => part.replace(/^ +/gm, ""));
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, "     ");
