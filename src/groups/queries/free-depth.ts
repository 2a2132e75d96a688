/** How far back a search can reach at no cost: posts that are known take no request more until they fill its pages. Pure. */
import { ITEMS_PER_PAGE } from "../../plan/polls/feed-pages.ts";
import { floorOf, pagesOfBatch, type Part } from "./query-batches.ts";
import { sum } from "../../plan/sum.ts";

/** What is known fills no more of the pages, so that what nobody foresaw still finds room. */
const FILLED = 0.5;
const STEPS = 12;

/** Down to `deepestMs`, or until what is known fills the pages that these parts take anyway; service time. */
export function freeFloor(parts: readonly Part[], deepestMs: number): number {
  const room = pagesOfBatch(parts) * ITEMS_PER_PAGE * FILLED;
  const isFree = (floorMs: number): boolean => sum(parts, ({ itemsSince }) => itemsSince(floorMs)) <= room;
  let [free, tooDeep] = [floorOf(parts), deepestMs];
  if (tooDeep >= free || isFree(tooDeep)) return Math.min(free, tooDeep);
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (free + tooDeep) / 2;
    if (isFree(middle)) free = middle;
    else tooDeep = middle;
  }
  return free;
}
