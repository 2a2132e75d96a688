/**
 * Counts the pages beyond the first ones of polls that other replicas read. They are in the ledger
 * that all replicas share.
 */
import { createInTurn } from "../../model/in-turn.ts";
import type { Ledger } from "../../model/ledger.ts";

export interface PagesOfOthersDeps {
  readonly ledger: Pick<Ledger, "countFurtherPages">;
  /**
   * Called with the number of pages since the last count. If this replica enters a page during the
   * count, that page may be included; then it is subtracted from the next count.
   */
  readonly onCounted: (pages: number) => void;
}

export class PagesOfOthers {
  readonly #deps: PagesOfOthersDeps;
  readonly #inTurn = createInTurn();
  /** The id of the last counted ledger entry; undefined before the first count. */
  #countedId: number | undefined;
  /** How many further pages this replica has read since the last count. */
  #own = 0;

  constructor(deps: PagesOfOthersDeps) {
    this.#deps = deps;
  }

  /** Records that this replica has entered a further page in the ledger. */
  entered(): void {
    this.#own += 1;
  }

  /**
   * Counts the pages since the last call. The first call counts none: it only finds the ledger
   * entry after which the next call starts.
   */
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
