/** `new_followers`: who began following an account, from the 7-day list of indexed accounts or from the whole follower list. */
import { z } from "zod";
import type { RosterRule } from "../detect/roster.ts";
import type { TargetState } from "../model/store.ts";
import { followerMessage } from "../render/follower-message.ts";
import { accountsSchema, accountTargets, requireUserId } from "./accounts-schema.ts";
import type { WatchType } from "./watch-type.ts";

const schema = z.strictObject({
  accounts: accountsSchema,
  source: z
    .enum(["auto", "indexed", "all"])
    .default("auto")
    .describe(
      "`indexed`: the service's 7-day list, one request, indexed accounts only. `all`: pages of 200 of the follower list. `auto`: indexed where the account is, else all.",
    ),
});

type Settings = z.output<typeof schema>;

/** What `auto` found out about a target, kept in its memory under `mode`. */
function followerMode(settings: Settings, target: Pick<TargetState, "memory">): "indexed" | "all" {
  if (settings.source !== "auto") return settings.source;
  return target.memory["mode"] === "all" ? "all" : "indexed";
}

const rule = (settings: Settings, target: TargetState): RosterRule =>
  followerMode(settings, target) === "indexed"
    ? { joined: "follower.added", mode: "window" }
    : { joined: "follower.added", mode: "newest" };

export const newFollowers: WatchType<Settings> = {
  type: "new_followers",
  summary: "Accounts that began following the accounts named.",
  schema,
  example: `type: new_followers
accounts: [acme]
source: auto
where: 'user.followers_count >= 10000'
schedule: "7 */6 * * *"`,
  body: { user: "user", target: "user" },
  events: ["follower.added"],
  endpoints: ["new-followers-7d", "followers"],
  include: { reply: false, quote: false, retweet: false },
  detection: { detector: "roster", rule },
  targets: ({ accounts }) => accountTargets(accounts),
  source(settings, target) {
    const endpoint = followerMode(settings, target) === "indexed" ? "new-followers-7d" : "followers";
    return { endpoint, params: { user_id: requireUserId(target) } };
  },
  needsIndex: (settings, target) => followerMode(settings, target) === "indexed",
  withoutIndex: (settings) => (settings.source === "auto" ? { mode: "all" } : undefined),
  caveats(settings) {
    const indexed = "indexed: followers the service has not indexed, and follows undone between two polls";
    const all = "all: followers that the service does not list newest first are found by the daily full read only";
    return settings.source === "indexed" ? [indexed] : settings.source === "all" ? [all] : [indexed, all];
  },
  costRequests: () => 1,
  read: followerMessage,
};
