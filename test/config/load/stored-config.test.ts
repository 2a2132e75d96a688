/** Tests that a stored configuration can be loaded again and shows no secret. */
import { expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load/load-config.ts";
import type { Files } from "../../../src/model/files.ts";
import { SINK_TYPES } from "../../../src/sinks/registry.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";

const SECRETS = ["xoxb-11-secret", "hook-secret-path", "a-signing-secret", "key-of-the-service"];
const TEXT = `
api: { base_url: "https://api.example.net", key: "\${KEY}", quota: { monthly: 500 } }
server: { listen: "127.0.0.1:0", token: "\${KEY}" }
watches:
  brand: { type: search, query: "acme \${MORE} $$BTC $ETH", sink: chat, where: "tweet.likes_count > 3" }
  team: { type: timeline, accounts: [alice, { file: team.txt }], ignore: { words: [{ file: words.txt }] } }
  list: { type: list_tweets, list: 1493446837214187523 }
defaults: { sink: { webhook: { secret: "\${SIGNING}" } } }
sinks:
  chat: { type: slack, token: "\${SLACK}", channel: "#brand", throttle: { limit: 3, interval: 1m } }
  hook: { type: webhook, url_file: hook.txt, headers: { Authorization: "\${SIGNING}" } }
route: { sink: hook, routes: [{ matchers: ['watch="list"'], sink: chat, dedupe: { key: [author], window: 2h } }] }
ops: { sink: hook }
`;
const ENV = { KEY: SECRETS[3], SLACK: SECRETS[0], SIGNING: SECRETS[2], MORE: "OR emca" };
const FOLDER: Readonly<Record<string, string>> = {
  "/c/watches.yaml": TEXT,
  "/c/team.txt": "bob\n# nobody\n@carol\n",
  "/c/words.txt": "giveaway\n",
  "/c/hook.txt": `https://hooks.example.com/${SECRETS[1]}`,
};

const filesOf = (texts: Readonly<Record<string, string>>): Files => ({
  readText: async (path) =>
    texts[path] ?? Promise.reject(Object.assign(new Error(path), { code: "ENOENT" })),
  size: async (path) => texts[path]?.length ?? 0,
  exists: async (path) => texts[path] !== undefined,
  isDirectory: async () => false,
  list: async () => [],
});

async function load(texts: Readonly<Record<string, string>>, options: object) {
  const loaded = await loadConfig({
    ...{ path: "/c/watches.yaml", files: filesOf(texts), env: {} },
    ...{ watchTypes: WATCH_TYPES, sinkTypes: SINK_TYPES, ...options },
  });
  if (!loaded.ok) throw new Error(loaded.issues.map(({ message }) => message).join("\n"));
  return loaded.config;
}

it("is loaded again, without its files and its environment, as what it was", async () => {
  const { stored = "", ...before } = await load(FOLDER, { env: ENV, withStored: true });
  for (const secret of SECRETS) expect(stored).not.toContain(secret);
  const after = await load({ "/c/watches.yaml": stored }, { lenientSecrets: true });
  const shown = (config: typeof after) =>
    JSON.parse(
      JSON.stringify(
        [config.watches, config.route, config.ops, config.api.quota, config.sinks],
        (key, value) => (key === "declaredAt" || key === "settings" ? undefined : value),
      ),
    );
  expect(shown(after)).toEqual(shown(before));
  expect(after.watches[0]?.settings).toMatchObject({ query: "acme OR emca $BTC $ETH" });
  expect(after.watches.map(({ settings }) => settings)).toEqual(
    before.watches.map(({ settings }) => settings),
  );
});

it("is not made unless it is requested", async () => {
  expect((await load(FOLDER, { env: ENV })).stored).toBeUndefined();
});
