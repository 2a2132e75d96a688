/**
 * Inputs for every operation, from the sandbox's sample, and a client that calls operations by
 * name.
 */
import { ENDPOINTS, type EndpointName } from "../../src/api/endpoints/index.ts";
import type { Endpoint } from "../../src/api/endpoint.ts";
import type { SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { openSandbox, type Reply } from "./ask.ts";

export type Inputs = Readonly<Record<string, unknown>>;

export const ROWS: readonly (Endpoint & { readonly name: EndpointName })[] = Object.entries(
  ENDPOINTS,
).map(([name, row]) => ({
  ...row,
  name: name as EndpointName,
}));

/** Opens a sandbox whose operations are called by name, slowly enough for its rate limit. */
export async function openService(options: Partial<SandboxOptions> = {}) {
  const sandbox = await openSandbox(options);

  async function ask(
    name: EndpointName,
    inputs: Inputs,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply> {
    await sandbox.clock.advance(100);
    const row: Endpoint = ENDPOINTS[name];
    const path = `/${row.version ?? "v3"}${row.path}`.replace(/\{(\w+)\}/, (_, input: string) =>
      encodeURIComponent(String(inputs[input])),
    );
    if (row.method === "POST") return sandbox.send("POST", path, JSON.stringify(inputs), headers);
    return sandbox.send("GET", `${path}?${searchOf(inputs)}`, undefined, headers);
  }

  /** Reads page after page until the cursor ends the list, or up to a number of items. */
  async function walk(name: EndpointName, inputs: Inputs, most = 1_000): Promise<readonly Reply[]> {
    const replies: Reply[] = [];
    const row: Endpoint = ENDPOINTS[name];
    for (let cursor: string | undefined = ""; cursor !== undefined && replies.length < most; ) {
      const reply = await ask(
        name,
        cursor === "" ? inputs : { ...inputs, [row.cursor?.param ?? ""]: cursor },
      );
      replies.push(reply);
      cursor = cursorIn(reply);
    }
    return replies;
  }

  const sampleInputs = async () => inputsOf((await sandbox.control("GET", "sample")).body);
  const put = async (order: object): Promise<string[]> =>
    (await sandbox.control("POST", "tweets", { username: "alice", ...order })).body.ids;
  return { ...sandbox, ask, walk, sampleInputs, put };
}

/** Opens a sandbox without short and empty pages. `body` is only the answer's body. */
export async function openPlain(options: Partial<SandboxOptions> = {}) {
  const service = await openService({ traps: false, ...options });
  const sample = (await service.control("GET", "sample")).body;
  const body = async (name: EndpointName, inputs: Inputs) => (await service.ask(name, inputs)).body;
  return { ...service, body, sample, communities: sample.community_ids as readonly string[] };
}

const searchOf = (inputs: Inputs): URLSearchParams =>
  new URLSearchParams(
    Object.entries(inputs).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    ),
  );

/** Returns the cursor of an answer, with all its digits. */
export const cursorIn = (reply: Reply): string | undefined => {
  const [, text, digits] = /"next_cursor":(?:"([^"]+)"|(\d+))/.exec(reply.text) ?? [];
  return text ?? digits;
};

/** Returns inputs for each operation, from the objects that the sample names. */
export function inputsOf(
  sample: Record<string, string[]>,
): Record<EndpointName, readonly Inputs[]> {
  const first = (name: string): string => sample[name]?.[0] ?? "";
  const users = (sample["indexed_handles"] ?? []).slice(0, 4).map((username) => ({ username }));
  const tweets = [
    ...(sample["tweet_ids"] ?? []).slice(0, 4),
    ...(sample["article_ids"] ?? []).slice(0, 2),
  ].map((tweet_link) => ({
    tweet_link,
  }));
  const both = users.flatMap((user) => tweets.slice(0, 2).map((tweet) => ({ ...user, ...tweet })));
  const [list, community] = [first("list_ids"), first("community_ids")];
  return {
    info: users,
    "info-batch": [
      { usernames: (sample["handles"] ?? []).slice(0, 50) },
      { user_ids: (sample["user_ids"] ?? []).slice(0, 50) },
    ],
    about: users,
    followers: users,
    follows: users,
    "verified-followers": users,
    "search-users": [{ query: "a" }],
    "check-follow": [{ username_1: "acme", username_2: "bob" }],
    "tweet-info": tweets,
    "tweet-info-bulk": [{ tweet_links: sample["tweet_ids"] ?? [] }],
    "user-tweets": users,
    "user-retweets": users,
    "search-tweets": [
      { query: "a OR the OR include:nativeretweets", order: "latest" },
      { query: "acme" },
    ],
    mentions: [{ query: "acme", min_likes: 0, since_date: "2026-01-01" }],
    comments: tweets,
    quotes: tweets,
    retweeters: tweets,
    article: (sample["article_ids"] ?? []).slice(0, 3).map((id) => ({ tweet_link: id })),
    "check-comment": both,
    "check-quoted": both,
    "check-retweet": both,
    "v2-user-tweets": users.map(({ username }) => ({ link: `https://social.example/${username}` })),
    "community-info": [{ community_id: community }, { community_link: community }],
    "community-members": [{ community_link: community }],
    "community-tweets": [{ community_id: community }],
    "community-search-tweets": [{ community_link: community, query: "weekly OR meetup OR a" }],
    "check-community-member": users.map((user) => ({ ...user, community_id: community })),
    "list-tweets": [{ list_id: list }],
    "list-members": [{ list_id: list }],
    "list-followers": [{ list_link: list }],
    spaces: (sample["space_ids"] ?? []).map((id) => ({ id })),
    trends: [{ woeid: 1 }],
    score: users,
    "score-changes": users,
    "followers-stats": users,
    "top-followers": users,
    "top-following": users,
    "new-followers-7d": users,
    "new-following-7d": users,
    "id-to-username": (sample["user_ids"] ?? []).slice(0, 3).map((user_id) => ({ user_id })),
    "username-to-id": users.map(({ username }) => ({ handle: username })),
    "link-to-id": users.map(({ username }) => ({ link: `https://social.example/${username}` })),
    "key-usage-info": [{}],
  };
}
