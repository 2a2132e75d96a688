/** Records every action of an operator on alerts, in the same transaction as the change itself. */
import type { Json } from "../../model/json.ts";
import { toText } from "./json-text.ts";
import { nextNumbers } from "./sequence.ts";
import type { Executor } from "./statement.ts";

/** Writes a record. Returns its number. */
export async function recordAudit(
  on: Executor,
  atMs: number,
  action: string,
  detail: Json,
): Promise<number> {
  const id = (await nextNumbers(on, "audit", 1))(0);
  await on
    .insertInto("audit")
    .values({ id, at: atMs, action, detail: toText(detail) })
    .execute();
  return id;
}
