/** Counts the further pages that other replicas read, from the ledger that all replicas share. */
import { createInTurn } from "../../model/in-turn.ts";
import type { Ledger } from "../../model/ledger.ts";

export interface PagesOfOthersDeps {
  readonly ledger: Pick<Ledger, "countFurtherPages">;
  /**
   * Called with the pages since the last count. A page of this replica that is entered during the
   * count may be included, and is subtracted from the next count.
   */
  readonly onCounted: (pages: number) => void;
}

export class PagesOfOthers {
  readonly #deps: PagesOfOthersDeps;
  readonly #inTurn = createInTurn();
  /** The last entry that was counted; undefined before the first count. */
  #countedId: number | undefined;
  /** The pages that this replica read since the last count. */
  #own = 0;

  constructor(deps: PagesOfOthersDeps) {
    this.#deps = deps;
  }

  /** Called when this replica has entered a page in the ledger. */
  entered(): void {
    this.#own += 1;
  }

  /** Counts pages. The first count only says where the next one starts. */
  count(): Promise<void> {
    const { ledger, onCounted } = this.#deps;
    return this.#inTurn(async () => {
      const own = this.#own;
      const isFirst = this.#countedId === undefined;
      const { pages, lastId } = await ledger.countFurtherPages(this.#countedId);
      this.#countedId = lastId;
      this.#own -= own;
      if (!isFirst) onCounted(pages - own);
    });
  }
}
