/** What a group chooses by what it has learned, it chooses again every ten minutes. */
import { passedMs } from "../../model/clock.ts";

const CHOOSE_EVERY_MS = 600_000;

export const isTimeToChoose = ({ chosenAtMs }: { readonly chosenAtMs: number }, nowMs: number): boolean =>
  passedMs(chosenAtMs, nowMs) >= CHOOSE_EVERY_MS;
