import { describe, expect, it } from "vitest";
import { checkSandboxGuard } from "../../src/config/guard.ts";
import { formatIssue } from "../../src/config/report.ts";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import { CONFIG_PATH, goodConfig } from "./load-text.ts";

async function guard(
  sink: string,
  api = "{ base_url: '${CHIRPWATCH_API_URL:-sandbox}', key: '${CHIRPWATCH_API_KEY:-sandbox}' }",
  env = {},
) {
  const text = `api: ${api}\nwatches: { w: { type: search, query: a } }\nsinks:\n  slack-brand: ${sink}\n`;
  const config = await goodConfig(text, { env: { TOKEN: "xoxb-0123456789abcdef", ...env } });
  return checkSandboxGuard(config, SINK_TYPES).map(formatIssue);
}

const SLACK = '{ type: slack, token: "${TOKEN}", channel: "#brand" }';

describe("the sandbox guard", () => {
  it("refuses to send invented tweets to a real channel", async () => {
    expect(await guard(SLACK)).toEqual([
      `${CONFIG_PATH}:4:3  CHIRPWATCH_API_URL is not set: refusing to send invented tweets to slack-brand; set it to the address of your data service, or make the sink a console`,
    ]);
    expect(
      await guard('{ type: webhook, url: "https://example.com/x", secret: "${TOKEN}" }'),
    ).toHaveLength(1);
  });

  it("refuses a key without an address, whatever the sink", async () => {
    const refused = await guard("{ type: console }", undefined, { CHIRPWATCH_API_KEY: "real" });
    expect(refused).toEqual([
      `${CONFIG_PATH}:1:1  CHIRPWATCH_API_URL is not set: refusing to watch the sandbox with the key of a real service; set it to the address of your data service, or the key to sandbox, too`,
    ]);
    expect(await guard(SLACK, undefined, { CHIRPWATCH_API_KEY: "real" })).toHaveLength(1);
  });

  it("does not call the address unset where it names the sandbox", async () => {
    const [refused] = await guard(SLACK, undefined, { CHIRPWATCH_API_URL: "sandbox" });
    expect(refused).toContain(
      "CHIRPWATCH_API_URL is sandbox: refusing to send invented tweets to slack-brand",
    );
  });

  it("names the file where that does not read the address", async () => {
    const [refused] = await guard(SLACK, "{}", { CHIRPWATCH_API_URL: "https://data.example.com" });
    expect(refused).toContain(
      "api.base_url is sandbox although CHIRPWATCH_API_URL is set: refusing to send invented tweets to slack-brand; set it to the address of your data service",
    );
  });

  it("refuses to fill a state that others share", async () => {
    const text =
      "state: { url: postgres://cw@db/cw }\nwatches: { w: { type: search, query: a } }\nsinks: { terminal: { type: console } }\n";
    expect(checkSandboxGuard(await goodConfig(text), SINK_TYPES).map(formatIssue)).toEqual([
      `${CONFIG_PATH}:1:1  CHIRPWATCH_API_URL is not set: refusing to write invented tweets into a shared state; set it to the address of your data service, or name a file by state.path`,
    ]);
  });

  it("lets the console, loopback and stand-ins through", async () => {
    expect(await guard("{ type: console }")).toEqual([]);
    expect(
      await guard(
        '{ type: webhook, url: "http://127.0.0.1:9000/x", allow_private: true, secret: "${TOKEN}" }',
      ),
    ).toEqual([]);
    expect(
      await guard(
        '{ type: webhook, url: "http://[::1]:9000/x", allow_private: true, secret: "${TOKEN}" }',
      ),
    ).toEqual([]);
    expect(
      await guard(
        '{ type: slack, token: "${TOKEN}", channel: "#brand", api_url: "http://127.0.0.1:9000/api/" }',
      ),
    ).toEqual([]);
  });

  it("raises no objection once there is a service", async () => {
    expect(
      await guard(SLACK, undefined, {
        CHIRPWATCH_API_URL: "https://data.example.com",
        CHIRPWATCH_API_KEY: "real",
      }),
    ).toEqual([]);
    expect(await guard(SLACK, undefined, { CHIRPWATCH_API_URL: "http://127.0.0.1:8787" })).toEqual(
      [],
    );
  });
});
