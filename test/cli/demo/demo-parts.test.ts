import { afterAll, describe, expect, it } from "vitest";
import { createAlertScreen } from "../../../src/cli/demo/demo-alerts.ts";
import { createAnswerLog } from "../../../src/cli/demo/demo-answers.ts";
import {
  demoConfig,
  DEMO_QUOTA,
  demoServer,
  pastConfig,
  withStatePath,
} from "../../../src/cli/demo/demo-config.ts";
import { BASELINE_UNTIL_MS, demoTimes } from "../../../src/cli/demo/demo-times.ts";
import { leapMs } from "../../../src/cli/demo/live-past.ts";
import { ownCommand } from "../../../src/cli/demo/own-command.ts";
import type { Config } from "../../../src/config/config.ts";
import { loadConfig } from "../../../src/config/load/load-config.ts";
import { createFiles } from "../../../src/runtime/files.ts";
import { SINK_TYPES } from "../../../src/sinks/registry.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";
import { cleanUp, makeFolder } from "../../support/bin-process.ts";

afterAll(cleanUp);

const WRITTEN = `version: 1
api: { base_url: "https://api.example.com", key: K, quota: { monthly: 100 } }
state: { path: mine.db, must_exist: true }
server: { listen: "127.0.0.1:9464", token: a-long-enough-token }
ops: { sink: chat, heartbeat: { url: "https://example.com/alive", interval: 1m } }
time_intervals: { nights: [{ times: [{ start: "22:00", end: "07:00" }] }] }
watches:
  fast: { type: search, query: acme, schedule: "@every 2m", priority: high }
  slow: { type: timeline, accounts: [alice], schedule: "0 6 * * *", priority: low, first_run: { latest: 3 }, enabled: false }
  fresh: { type: search, query: rival, freshness: 60s }
route:
  sink: hook
  digest: false
  routes:
    - { matchers: ['watch="fast"'], sink: chat, group_by: [watch], group_wait: 10s, group_interval: 2m, mute_time_intervals: [nights], throttle: { limit: 1, interval: 10m } }
    - { matchers: ['watch="slow"'], sink: chat, digest: { schedule: "0 9 * * *", max_items: 7 } }
sinks:
  chat: { type: slack, token: "\${SLACK_BOT_TOKEN}", channel: "#brand" }
  hook: { type: webhook, url: "https://example.com/hook", digest: { schedule: "0 9 * * *" } }
`;

async function load(text: string): Promise<Config> {
  const loaded = await loadConfig({
    path: `${makeFolder({ "watches.yaml": text })}/watches.yaml`,
    files: createFiles(),
    env: {},
    watchTypes: WATCH_TYPES,
    sinkTypes: SINK_TYPES,
    lenientSecrets: true,
  });
  if (!loaded.ok) throw new Error(loaded.issues.map(({ message }) => message).join("\n"));
  return loaded.config;
}

const demoOf = async () =>
  demoConfig(await load(WRITTEN), {
    statePath: "/tmp/demo.db",
    server: { host: "127.0.0.1", port: 0 },
  });

describe("the demo's configuration", () => {
  it("lets nothing leave the machine: sandbox, console, no heartbeat", async () => {
    const config = await demoOf();
    expect(config.api.baseUrl).toBe("sandbox");
    expect(config.api.key).toBe("sandbox");
    expect(config.ops).toEqual({ sinks: ["chat"] });
    expect(config.sinks.map(({ name, type, settings }) => ({ name, type, settings }))).toEqual([
      { name: "chat", type: "console", settings: {} },
      { name: "hook", type: "console", settings: {} },
    ]);
  });

  it("polls every 1 to 3 s by priority, and no month's quota slows that down", async () => {
    const config = await demoOf();
    const every = (intervalMs: number) => ({
      kind: "schedule",
      schedule: { kind: "every", intervalMs },
    });
    expect(config.watches.map(({ timing }) => timing)).toEqual([
      every(1_000),
      every(3_000),
      every(2_000),
    ]);
    expect(config.api.quota).toMatchObject({ monthly: DEMO_QUOTA, reserve: 0 });
  });

  it("begins with a silent baseline, and keeps what else a watch says", async () => {
    const written = await load(WRITTEN);
    const config = await demoOf();
    expect(config.watches.map(({ firstRun }) => firstRun.kind)).toEqual([
      "baseline",
      "baseline",
      "baseline",
    ]);
    const plain = (watch: Config["watches"][number] | undefined) => ({
      ...watch,
      timing: null,
      firstRun: null,
    });
    expect(plain(config.watches[1])).toEqual(plain(written.watches[1]));
  });

  it("puts the state at its configured path, and creates it", async () => {
    expect((await demoOf()).state).toMatchObject({ path: "/tmp/demo.db", mustExist: false });
  });

  it("keeps the route tree, and lets an alert wait for others of its group for 2 s only", async () => {
    const { route } = await demoOf();
    expect(route?.sinks).toEqual(["hook"]);
    expect(route?.routes[0]).toMatchObject({
      sinks: ["chat"],
      groupBy: ["watch"],
      groupWaitMs: 2_000,
      groupIntervalMs: 2_000,
      mutes: [],
    });
    expect(route?.routes[0]).not.toHaveProperty("throttle");
  });

  it("sends a digest every 3 s, whatever its schedule, and keeps what else the digest says", async () => {
    const { route, sinks } = await demoOf();
    const digests = [route?.routes[1]?.digest, sinks.find(({ name }) => name === "hook")?.digest];
    for (const digest of digests) {
      if (digest === undefined || digest === false) throw new Error("no digest");
      expect(digest.nextAtMs(7_000)).toBe(9_000);
      expect(digest.nextAtMs(9_000)).toBe(12_000);
    }
    expect(digests[0]).toMatchObject({ maxItems: 7 });
    expect(route?.digest).toBe(false);
  });

  it("listens on any free port of this machine, whatever the file says", async () => {
    const { server } = await load(WRITTEN);
    expect(demoServer(server, {}, () => "made")).toEqual({ host: "127.0.0.1", port: 0 });
  });

  it("listens where a container's environment says, with its token or a made one", async () => {
    const env = { CHIRPWATCH_SERVER_LISTEN: "0.0.0.0:9464" };
    const address = { host: "0.0.0.0", port: 9464 };
    expect(demoServer({ ...address, token: "demo" }, env, () => "made")).toEqual({
      ...address,
      token: "demo",
    });
    expect(
      demoServer({ ...address, newTokenFile: "/data/server-token" }, env, () => "made"),
    ).toEqual({ ...address, token: "made" });
  });
});

describe("the demo's console", () => {
  const screenWith = () => {
    const shown: string[] = [];
    return { shown, screen: createAlertScreen((text) => shown.push(text)) };
  };

  it("holds alerts back until it is opened, and loses none", () => {
    const { shown, screen } = screenWith();
    screen.write("• one\n    body\n");
    expect(shown).toEqual([]);
    screen.open();
    screen.write("• two\n");
    expect(shown).toEqual(["     • one\n         body", "     • two"]);
  });

  it("counts every alert of a message that holds several", () => {
    const { screen } = screenWith();
    screen.write("• one\n    body\n• two\n    body\n");
    expect(screen.count).toBe(2);
    expect(screen.repeats).toBe(0);
  });

  it("detects a duplicate alert", () => {
    const { screen } = screenWith();
    screen.write("• one\n    body\n");
    screen.write("2 alerts\n  • two\n      body\n  • one\n      body\n");
    screen.write("  ↳ ! two\n        body\n");
    expect(screen.count).toBe(4);
    expect(screen.repeats).toBe(1);
    screen.write("  ↳ 2 alerts\n      • three\n          body\n      • one\n          body\n");
    expect(screen.count).toBe(6);
    expect(screen.repeats).toBe(2);
  });
});

describe("the demo's log of answers", () => {
  const answering = (body: string) =>
    createAnswerLog({ request: async () => ({ status: 200, headers: {}, body }) });
  const ask = {
    method: "GET",
    url: "http://127.0.0.1/",
    timeoutMs: 1,
    maxBytes: 1,
    reach: "loopback",
  } as const;

  it("counts in how many answers an id was served, as text and as a bare number", async () => {
    const answers = answering(
      '{"tweets":[{"id_str":"9007199254740993","id":9007199254740993},{"id":"7"}]}',
    );
    await answers.http.request(ask);
    await answers.http.request(ask);
    expect([...answers.served]).toEqual([
      ["9007199254740993", 2],
      ["7", 2],
    ]);
  });

  it("forgets when asked to", async () => {
    const answers = answering('{"id":"7"}');
    await answers.http.request(ask);
    answers.forget();
    expect(answers.served.size).toBe(0);
  });
});

describe("the demo's deadlines", () => {
  it("end it within twenty seconds where the baseline takes its usual time", () => {
    expect(demoTimes(2_000)).toEqual(demoTimes(5_000));
    expect(demoTimes(5_000).alertsMs).toBeLessThan(20_000);
  });

  it("give a machine whose baseline took twice the usual time twice as long for the rest", () => {
    const [usual, late] = [demoTimes(6_000), demoTimes(12_000)];
    expect(late.restartMs - 12_000).toBe(2 * (usual.restartMs - 6_000));
    expect(late.alertsMs - late.restartMs).toBe(2 * (usual.alertsMs - usual.restartMs));
  });

  it("do not wait for ever where there never is a baseline", () => {
    expect(demoTimes(60_000)).toEqual(demoTimes(BASELINE_UNTIL_MS));
  });
});

describe("the days before a demo that stays", () => {
  it("have the schedules and digests as they are written, on the demo's console and state", async () => {
    const written = await load(WRITTEN);
    const demo = demoConfig(written, {
      statePath: "/tmp/demo.db",
      server: { host: "127.0.0.1", port: 0 },
    });
    const past = pastConfig(written, demo);
    expect(past.watches.map(({ timing }) => timing)).toEqual(
      written.watches.map(({ timing }) => timing),
    );
    expect([past.route, past.sinks, past.state, past.api]).toEqual([
      written.route,
      demo.sinks,
      demo.state,
      demo.api,
    ]);
  });

  it("are lived through in leaps of hours, and in longer ones on a machine that is slow", () => {
    const hour = 3_600_000;
    expect(leapMs({ leftMs: 14 * 24 * hour, leaps: 1, spentMs: 0 })).toBe(6 * hour);
    expect(leapMs({ leftMs: 10 * 24 * hour, leaps: 21, spentMs: 1_000 })).toBe(6 * hour);
    expect(leapMs({ leftMs: 5 * hour, leaps: 81, spentMs: 3_000 })).toBe(2 * hour);
    expect(leapMs({ leftMs: 10 * 24 * hour, leaps: 11, spentMs: 1_500 })).toBeCloseTo(
      (10 * 24 * hour) / 23,
    );
    expect(leapMs({ leftMs: 10 * 24 * hour, leaps: 2, spentMs: 9_000 })).toBe(12 * hour);
  });

  it("leave a file by which other commands find the daemon", () => {
    const text = "version: 1\nstate: { path: data/a.db }\nwatches:\n  w: { state: x }\n";
    expect(withStatePath(text, "/tmp/d/demo.db")).toBe(
      text.replace("{ path: data/a.db }", '{ path: "/tmp/d/demo.db" }'),
    );
    expect(withStatePath("state:\n  path: a\n  retention: 9d\nversion: 1\n", "/d")).toBe(
      'state: { path: "/d" }\nversion: 1\n',
    );
    expect(withStatePath("version: 1\n", "/d")).toBe('version: 1\nstate: { path: "/d" }\n');
  });

  it("are followed by commands as this program was called", () => {
    const at = { env: {}, folder: "/home/me/chirpwatch" };
    expect(ownCommand("/home/me/chirpwatch/dist/main.js", at)).toBe("node dist/main.js");
    expect(ownCommand("/usr/local/bin/chirpwatch", at)).toBe("chirpwatch");
    expect(
      ownCommand("/x/node_modules/.bin/chirpwatch", { ...at, env: { npm_command: "exec" } }),
    ).toBe("npx chirpwatch");
    expect(
      ownCommand("/usr/local/bin/chirpwatch", {
        ...at,
        env: { CHIRPWATCH_SERVER_LISTEN: "0.0.0.0:9464" },
      }),
    ).toBe("docker compose exec demo chirpwatch");
  });
});
