/**
 * `chirpwatch demo` in this process, on a clock that does not wait; and as people start it: one
 * process, an empty environment, a folder that has nothing to do with the package. The gate plays
 * it so to its end.
 */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type BinProcess, cleanUp, makeFolder, startBin } from "../support/bin-process.ts";
import { hurryCommand, runCommand } from "../support/run-command.ts";
import { until } from "../support/until.ts";

afterAll(cleanUp);

/**
 * Creates a folder for the demo's temporary files, which shows what it leaves behind. Compiled code
 * kept for the next start does not count.
 */
function place(files: Record<string, string> = {}): {
  readonly cwd: string;
  readonly env: Record<string, string>;
  left(): readonly string[];
} {
  const cwd = makeFolder(files);
  const temporary = join(cwd, "tmp");
  mkdirSync(temporary);
  const left = () => readdirSync(temporary).filter((name) => !name.includes("compile"));
  return { cwd, env: { TMPDIR: temporary }, left };
}

const numberIn = (text: string, pattern: RegExp): number =>
  Number(pattern.exec(text)?.[1] ?? Number.NaN);

/**
 * Waits for these texts, one after the other, because a slow machine needs time for each chapter.
 */
async function played(demo: BinProcess, ...chapters: readonly string[]): Promise<void> {
  for (const words of chapters)
    await until(
      words,
      () => demo.out().includes(words),
      () => demo.out() + demo.err(),
    );
}

/** A configuration with two watches. One of them never finds anything. */
const MINE = `version: 1
api: { base_url: "\${CHIRPWATCH_API_URL:?url}", key: "\${CHIRPWATCH_API_KEY:?key}" }
watches:
  nothing: { type: search, query: "zzzzzz -zzzzzz", sink: brand }
  partners: { type: timeline, accounts: [alice, bob], sink: brand }
sinks:
  brand: { type: slack, token: "\${SLACK_BOT_TOKEN}", channel: "#brand" }
`;

describe("demo", () => {
  it("shows one alert of each watch type, repeats none, sums up, and leaves nothing behind", async () => {
    const { code, out, err } = await hurryCommand(["demo", "--once"]).ended();
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toMatch(/\d+ items noted, none announced/);
    for (const watch of ["brand-mentions", "partner-timelines", "score-moves", "builders"])
      expect(out, watch).toMatch(new RegExp(`• \\S+ \\S+ UTC \\[${watch}\\] \\S`));
    const state = /replaced: (\/\S+), removed at the end/.exec(out)?.[1] ?? "";
    expect([basename(state), existsSync(dirname(state))]).toEqual(["demo.db", false]);
    expect(out).toMatch(/free port/);

    const alerted = numberIn(out, /(\d+) items raised an alert before the restart/);
    expect(alerted).toBeGreaterThan(0);
    // Accounts whose counters did not change over the restart are not read again, to save requests.
    const again = numberIn(out, /served (\d+) of them again/);
    expect(again).toBeGreaterThan(0);
    expect(again).toBeLessThanOrEqual(alerted);
    expect(out).toContain("duplicate alerts: 0");

    // A reply is indented below the alert of its conversation.
    expect(out).toMatch(/^ {7}↳ • .* replied to @/m);
    // The posts of the community arrive as one message, and new followers as a digest.
    expect(out).toMatch(/^ {5}\d posts\n(?: {7}• \S+ \S+ UTC \[builders\] .*\n(?: {11}.*\n)*){2}/m);
    expect(out).toMatch(
      /^ {5}acme-followers · .* UTC · \d+ new followers\n {7}\d+ new followers of @\S+\n(?: {7}• .*\n){2}/m,
    );
    // The last chapter shows a digest and then the report. An alert is acknowledged: a chat would
    // show it in the message, and the report counts it.
    expect(out).toMatch(/^ {5}\| Acknowledged by Ada at \d\d:\d\d UTC$/m);
    expect(out).toMatch(/^ {5}1 of \d+ acknowledged$/m);
    const last = out.slice(out.indexOf("  5  A digest and a report"));
    const digestAt = last.search(/^ {5}acme-followers · .* UTC · \d+ new followers$/m);
    const reportAt = last.search(/^ {5}The demo · .* UTC$/m);
    expect(digestAt).toBeGreaterThan(0);
    expect(reportAt).toBeGreaterThan(digestAt);
    expect(last).toMatch(/^ {5}(?:[▁-█]+ +)?acme-followers: \d+ alerts, \d+ read, \d+ filtered$/m);
    const alerts = out.match(/^ {5}(?: {2}(?:↳ )?)?• /gm) ?? [];
    expect(new Set(out.match(/^ {5}(?: {2}(?:↳ )?)?• .*(\n {9}.*)*/gm)).size).toBe(alerts.length);
    expect(numberIn(out, /events\s+(\d+)/)).toBe(alerts.length);
    expect(
      numberIn(out, /deliveries\s+\d+ sent, 0 waiting, 0 given up; (\d+) alerts on this console/),
    ).toBe(alerts.length);
    // A group and a digest are one message each. They hold more alerts on a busy machine.
    const sent = numberIn(out, /deliveries\s+(\d+) sent/);
    expect(sent).toBeGreaterThan(alerts.length / 4);
    expect(sent).toBeLessThanOrEqual(alerts.length);
    expect(numberIn(out, /polls\s+(\d+)/)).toBeGreaterThan(10);
    expect(numberIn(out, /requests\s+(\d+) billed/)).toBeGreaterThan(10);
    expect(out).toMatch(/status page\s+http:\/\/127\.0\.0\.1:\d+/);
  });

  it("plays a file of one's own without its secrets, its key or its service, and says what did not alert", async () => {
    const { cwd } = place({ "mine.yaml": MINE });
    const { code, out, err } = await hurryCommand(["demo", "-c", join(cwd, "mine.yaml")]).ended();
    expect(out).toMatch(/• .* \[partners\] /);
    expect(err).toBe("the demo failed: no alert came from search in time\n");
    expect(code).toBe(1);
  });

  it("lives through fourteen days, names three commands that answer, and stays until a signal with a status page that answers", async () => {
    const demo = hurryCommand(["demo", "--stay"]);
    await demo.until(() => demo.out().includes("until you press Ctrl-C"));
    const out = demo.out();
    expect(out).toMatch(/14 days in [\d.]+ s: \d+ polls, \d+ requests billed, \d+ messages/);
    for (const watch of ["brand-mentions", "partner-timelines", "score-moves", "builders"])
      expect(
        numberIn(out, new RegExp(`^ +${watch} +\\w+ +(\\d+) alerts$`, "m")),
        watch,
      ).toBeGreaterThan(0);
    const tries = [...out.matchAll(/^ {7}(?:chirpwatch|node \S+) (.*?) -c (\S+) {2}# /gm)].map(
      ([, line = "", file = ""]) => [...line.split(" "), "-c", file],
    );
    expect(tries.map(([name]) => name)).toEqual(["events", "explain", "status"]);
    const answers: string[] = [];
    for (const line of tries) {
      const { code, out: answer, err } = await runCommand(line, { cwd: makeFolder() });
      expect([code, err], line.join(" ")).toEqual([0, ""]);
      answers.push(answer);
    }
    expect(answers[0]?.split("\n").length).toBeGreaterThan(10);
    expect(answers[1]).toContain("sent");
    expect(answers[2]).toContain("brand-mentions");
    const url =
      /status page\s+(http:\S+)\s*$/m.exec(
        demo.out().slice(demo.out().indexOf("The totals")),
      )?.[1] ?? "";
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    demo.kill("SIGTERM");
    expect(await demo.ended()).toMatchObject({ code: 0, err: "" });
  });

  it("stays also where a watch has found nothing yet", async () => {
    const { cwd } = place({ "mine.yaml": MINE });
    const demo = hurryCommand(["demo", "--stay", "-c", join(cwd, "mine.yaml")]);
    await demo.until(() => demo.out().includes("until you press Ctrl-C"));
    demo.kill("SIGTERM");
    expect(await demo.ended()).toMatchObject({ code: 0, err: "" });
  });

  it("as a process of its own stops in the middle at a signal, shows no colours to a pipe, and still leaves nothing behind", async () => {
    const { cwd, env, left } = place();
    const demo = startBin(["demo"], { cwd, env });
    await played(demo, "A silent baseline", "The world moves");
    demo.kill("SIGINT");
    expect(await demo.gone).toMatchObject({ code: 1, err: "the demo was interrupted\n" });
    expect(demo.out()).not.toContain("\u001b");
    expect(left()).toEqual([]);
  });
});
