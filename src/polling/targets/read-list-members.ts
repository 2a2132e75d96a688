/** The members of a public list, all pages of it: for many watches that read accounts through it. */
import { isRefusal } from "../../model/upstream.ts";
import type { RequestGate } from "../../requests/request-gate.ts";

/** A list holds up to 5,000 accounts (docs/service.md section 1); pages may be short. */
const MOST_PAGES = 500;

/**
 * User ids; nobody, where the list itself is refused. A cursor that is refused has expired: from the top once more. `watch`: on whose behalf
 * it is asked.
 */
export async function readListMembers(
  gate: Pick<RequestGate, "request">,
  listId: string,
  watch: string,
  isSecondTry = false,
): Promise<ReadonlySet<string>> {
  const members = new Set<string>();
  const cursors = new Set<string>();
  const asked = {
    endpoint: "list-members",
    params: { list_id: listId },
    source: `list:${listId}`,
    watch,
    priority: "normal",
    purpose: "poll",
    isWhole: true,
  } as const;
  let cursor: string | undefined;
  try {
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const answer = await gate.request({ ...asked, ...(cursor === undefined ? {} : { cursor }) });
      for (const { id } of answer.users ?? []) members.add(id);
      cursor = answer.nextCursor;
      // One that comes again leads in a circle.
      if (cursor === undefined || cursors.has(cursor)) break;
      cursors.add(cursor);
    }
    return members;
  } catch (error) {
    if (!isRefusal(error) || (cursor !== undefined && isSecondTry)) throw error;
    return cursor === undefined ? new Set() : readListMembers(gate, listId, watch, true);
  }
}
