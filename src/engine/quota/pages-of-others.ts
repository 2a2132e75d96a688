/** How many further pages other replicas read, by the ledger that all of them share. */
import { createInTurn } from "../../model/in-turn.ts";
import type { Ledger } from "../../model/ledger.ts";

export interface PagesOfOthersDeps {
  readonly ledger: Pick<Ledger, "countFurtherPages">;
  /**
   * Called with those since the last count. An own page that is entered meanwhile may be among
   * them, and is taken off the next time.
   */
  readonly onCounted: (pages: number) => void;
}

export class PagesOfOthers {
  readonly #deps: PagesOfOthersDeps;
  readonly #inTurn = createInTurn();
  /** The last entry that was counted; undefined before the first count. */
  #countedId: number | undefined;
  /** Own pages since then. */
  #own = 0;

  constructor(deps: PagesOfOthersDeps) {
    this.#deps = deps;
  }

  /** This replica has entered one. */
  entered(): void {
    this.#own += 1;
  }

  /** The first count only says from where the next one goes on. */
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
