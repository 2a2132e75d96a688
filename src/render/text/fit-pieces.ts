/**
 * Shortens text that contains points in time (moments). A moment is shown whole or not at all, and
 * the text ends at the first piece that does not fit.
 */
import { cleanText } from "./clean-text.ts";
import type { Moment, TextPiece } from "../../model/template.ts";

export interface PieceForms<T> {
  /** Returns a text as the sink writes it, cut to at most `room` units. */
  text(text: string, room: number): string;
  show(text: string): T;
  moment(moment: Moment): { readonly shown: T; readonly units: number };
}

/** Returns the first pieces, as many as fit into `room`. `text` and `moment` count in its units. */
export function fitPieces<T>(
  pieces: readonly TextPiece[],
  room: number,
  { text, show, moment }: PieceForms<T>,
): readonly T[] {
  const fitted: T[] = [];
  let left = room;
  for (const piece of pieces) {
    if (typeof piece !== "string") {
      const { shown, units } = moment(piece);
      if (units > left) return fitted;
      fitted.push(shown);
      left -= units;
      continue;
    }
    const cut = text(piece, left);
    if (cut !== "") fitted.push(show(cut));
    if (cleanText(piece).length > 0 && cut !== text(piece, Number.MAX_SAFE_INTEGER)) return fitted;
    left -= cut.length;
  }
  return fitted;
}
