/** The state as the last process left it, read from its file with plain SQL: what is still on its way, and what the ledger says. */
import { existsSync } from "node:fs";
import Database from "better-sqlite3";

export interface LeftState {
  /** Billed attempts in the ledger. */
  readonly ledger: number;
  /** What became of every item that was ever read. */
  readonly verdicts: readonly { readonly watch: string; readonly itemId: string; readonly verdict: string; readonly detail: string }[];
  /** Deliveries that no message holds yet. */
  readonly waiting: readonly { readonly sink: string; readonly eventId: string; readonly dueAtMs: number | null }[];
  readonly messages: readonly {
    readonly id: string;
    readonly sink: string;
    readonly state: "open" | "sent" | "dead";
    readonly attempts: number;
    readonly nextAttemptAtMs: number | null;
    readonly error: string;
  }[];
}

/** Of a daemon that never got so far there is none. */
export function readState(path: string): LeftState {
  if (!existsSync(path)) return { ledger: 0, verdicts: [], waiting: [], messages: [] };
  const database = new Database(path, { fileMustExist: true });
  try {
    const all = <T>(sql: string): readonly T[] => database.prepare(sql).all() as T[];
    const [counted] = all<{ readonly count: number }>("select count(*) as count from ledger where billed = 1");
    return {
      ledger: counted?.count ?? 0,
      verdicts: all(
        "select w.id as watch, i.item_id as itemId, i.verdict, i.detail from items i join targets t on t.id = i.target_id join watches w on w.key = t.watch_key order by 1, 2, 3",
      ),
      waiting: all("select sink, event_id as eventId, due_at as dueAtMs from deliveries where state = 'waiting' order by id"),
      messages: all("select id, sink, state, attempts, next_attempt_at as nextAttemptAtMs, error from messages order by seq"),
    };
  } finally {
    database.close();
  }
}
