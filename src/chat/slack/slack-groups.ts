/**
 * The members of Slack's user groups, each read at most once a minute. A group that cannot be read
 * is not read again within that minute either.
 */
import type { Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Log } from "../../model/log.ts";
import type { UserGroups } from "../clicks/who-may.ts";
import { ChatError } from "../clicks/click.ts";
import type { SlackApi } from "./slack-api.ts";

const READ_EVERY_MS = 60_000;

interface Read {
  readonly atMs: number;
  readonly members: Promise<ReadonlySet<string>>;
}

export function createSlackGroups(
  api: SlackApi,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): UserGroups {
  const reads = new Map<string, Read>();
  const read = async (group: string): Promise<ReadonlySet<string>> => {
    try {
      const { users } = await api("usergroups.users.list", { usergroup: group });
      if (!Array.isArray(users)) throw new ChatError("Slack's answer has no members", false);
      return new Set(users.map(String));
    } catch (error) {
      log.warn("the members of a user group of Slack cannot be read", {
        group,
        error: errorText(error),
        hint: "The app needs the scope usergroups:read.",
      });
      throw error;
    }
  };
  return {
    async has(group, person) {
      const nowMs = clock.monotonic();
      let known = reads.get(group);
      if (known === undefined || nowMs - known.atMs >= READ_EVERY_MS) {
        known = { atMs: nowMs, members: read(group) };
        reads.set(group, known);
      }
      return (await known.members).has(person);
    },
  };
}
