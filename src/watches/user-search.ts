/**
 * `user_search`: accounts that match a text and did not before. The service ranks them in its own
 * way, so an account that disappears from the list may still match.
 */
import { z } from "zod";
import { lazy } from "../model/lazy.ts";
import { rosterMessage } from "../render/messages/roster-message.ts";
import type { WatchType } from "./watch-type.ts";

const schema = lazy(() =>
  z.strictObject({
    query: z
      .string()
      .trim()
      .min(1, "query is empty: write what to search for")
      .describe("What to search for in names, handles and bios."),
  }),
);

type Settings = z.output<ReturnType<typeof schema>>;

const sourceOf = ({ query }: Settings) => ({ endpoint: "search-users", params: { query } });

export const userSearch: WatchType<Settings> = {
  type: "user_search",
  summary: "Accounts that begin to match a search.",
  schema,
  example: `type: user_search
query: acme
schedule: "@every 1h"`,
  body: { user: "user", search: { query: "string" } },
  events: ["user.found"],
  endpoints: ["search-users"],
  include: { reply: false, quote: false, retweet: false },
  detection: {
    detector: "roster",
    rule: ({ query }) => ({ joined: "user.found", mode: "ranked", about: { search: { query } } }),
  },
  // A changed query is a new target with its own baseline, so accounts that match it already raise
  // no alerts.
  targets: (settings, _watchId, fingerprint) => [
    { key: fingerprint(sourceOf(settings)), name: settings.query },
  ],
  source: sourceOf,
  caveats: () => [
    "a new account that the service ranks below a page of known ones is found only by the daily full read",
    "an account that the service never lists, however well it matches",
  ],
  costRequests: () => 1,
  read: rosterMessage,
};
