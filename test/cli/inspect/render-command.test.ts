/**
 * Tests `render`: from the state and beside a daemon, for a watch with events and one without, and
 * its errors.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { cleanUpAfterwards } from "../../e2e/fixture.ts";
import { makeFolder, runBin } from "../../support/bin-process.ts";
import { type RunningDaemon, startDaemonHere, writeConfig } from "../../support/daemon-process.ts";
import { runCommand } from "../../support/run-command.ts";
import { until } from "../../support/until.ts";

cleanUpAfterwards();

const CONFIG = {
  version: 1,
  state: { path: "state.db" },
  server: { listen: "127.0.0.1:0" },
  templates: {
    short: {
      events: ["tweet.*"],
      title: "@{{ tweet.user.username }}",
      body: "{{ tweet.full_text | graphemes: 3 }}",
    },
    broken: { events: ["*"], title: "{{ tweet.full_text | graphemes: 0 }}" },
  },
  watches: {
    news: { type: "search", query: "acme", first_run: { latest: 1 } },
    quiet: { type: "new_followers", accounts: ["acme"] },
  },
  sinks: {
    terminal: { type: "console", template: "short" },
    broken: { type: "console", template: "broken" },
    hook: {
      type: "webhook",
      url: "http://127.0.0.1:9/hook",
      secret: "a secret of some length",
      allow_private: true,
    },
  },
  route: { sink: ["terminal", "broken", "hook"] },
  ops: { sink: "terminal" },
};

let folder: string;
const render = (...args: readonly string[]) => runCommand(["render", ...args], { cwd: folder });

describe("before the first run", () => {
  beforeAll(() => {
    folder = makeFolder();
    writeConfig(folder, CONFIG);
  });

  it("shows a sample event of the watch's type, and says that it is one", async () => {
    const { code, out, err } = await render("quiet", "--sink", "hook");
    expect({ code, err }).toEqual({
      code: 0,
      err: "quiet has no events yet, so this is a sample. chirpwatch test quiet shows real ones.\n",
    });
    expect(out).toContain("@acme has a new follower: Sample (@sample)");
    const json = JSON.parse((await render("quiet", "--sink", "hook", "--json")).out);
    expect(json).toMatchObject({
      sample: true,
      event: { id: "sample", type: "follower.added", watch: "quiet" },
      template: null,
    });
    const payload = JSON.parse((await render("quiet", "--sink", "hook", "--payload")).out);
    expect(payload).toMatchObject({
      type: "follower.added",
      data: { watch: "quiet", labels: { target: "acme", author: "sample" } },
    });
  });

  it("ends with its command: the thread of the templates does not keep the process", async () => {
    const ended = await runBin(["render", "news", "--sink", "terminal"], { cwd: folder });
    expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(/^@sample\n/) as string });
  });

  it("words a sample by its template, too", async () => {
    expect((await render("news", "--sink", "terminal")).out).toMatch(/^@sample\nA…\n/);
    expect(JSON.parse((await render("news", "--sink", "terminal", "--payload")).out)).toMatchObject(
      { heading: "SAMPLE" },
    );
  });
});

describe.each(["beside a running daemon", "from its state"])("%s", (where) => {
  let daemon: RunningDaemon;
  beforeAll(async () => {
    if (where === "from its state") return;
    folder = makeFolder();
    writeConfig(folder, CONFIG);
    daemon = await startDaemonHere({ folder });
    await until("the first alert", async () => {
      const { out } = await runCommand(["events", "--watch", "news", "--json"], { cwd: folder });
      return out.includes("tweet.created") ? true : undefined;
    });
    return async () => {
      daemon.kill("SIGTERM");
      await daemon.gone;
    };
  });

  it("shows the latest event of a watch, as text and as what the sink would be sent", async () => {
    const { code, out, err } = await render("news", "--sink", "terminal");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    // No space precedes the ellipsis. If the text begins with a word of one letter, only that
    // letter is left.
    expect(out).toMatch(/^@\w+\n.{1,2}…\n/);
    const view = JSON.parse((await render("news", "--sink", "hook", "--json")).out);
    expect(view).toMatchObject({
      sample: false,
      template: null,
      problem: "",
      event: { type: "tweet.created" },
    });
    expect(JSON.parse((await render("news", "--sink", "hook", "--payload")).out)).toEqual(
      view.payload,
    );
    expect((await render(view.event.id, "--sink", "terminal")).out).toBe(out);
    expect(
      (await render(`https://x.com/i/status/${view.payload.data.tweet.id}`, "--sink", "terminal"))
        .out,
    ).toBe(out);
  });

  it("shows the default message of a template that fails, and says why", async () => {
    const { code, out, err } = await render("news", "--sink", "broken");
    expect(code).toBe(0);
    expect(err).toMatch(
      /^The template broken failed, so this is the default message: graphemes needs a number/,
    );
    expect(out).toMatch(/\(@\w+\)/);
  });

  it("says what there is where there is no such event, watch or sink", async () => {
    const refusals = [
      [
        ["nws", "--sink", "hook"],
        'there is no event and no watch "nws"; did you mean `news`? chirpwatch events --json lists the ids of events',
      ],
      [
        ["-23456789012345678_abc", "--sink", "hook"],
        'there is no event and no watch "-23456789012345678_abc"; known watches: news, quiet. chirpwatch events --json lists the ids of events',
      ],
      [["news", "--sink", "hok"], 'there is no sink "hok"; did you mean `hook`?'],
      [
        ["news", "--sink", "zzzzzz"],
        'there is no sink "zzzzzz"; known here: terminal, broken, hook',
      ],
    ] as const;
    for (const [args, said] of refusals) {
      const { code, out, err } = await render(...args);
      expect({ code, out, err: err.trim() }).toEqual({ code: 1, out: "", err: said });
    }
    expect((await render("news")).err).toContain("--sink");
  });
});
