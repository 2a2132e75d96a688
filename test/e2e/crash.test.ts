/**
 * Tests what a daemon survives: SIGKILL at random moments, SIGTERM in the middle of a send, and an
 * uncaught error. How long a stop takes: test/app/stop.test.ts.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { RunningDaemon } from "../support/daemon-process.ts";
import { until } from "../support/until.ts";
import { allSent, cleanUpAfterwards, morePolls, noted, createFixture, sorted } from "./fixture.ts";

cleanUpAfterwards();

/**
 * Few kills suffice here, because the simulation cuts the daemon at every point of a poll and of a
 * delivery.
 */
const KILLS = 3;
/**
 * A fixed number of posts, whatever the machine. On a slow one the daemon would otherwise never
 * catch up.
 */
const POSTS_BETWEEN_KILLS = 20;

describe.concurrent("a daemon that dies", () => {
  it("fault 56: SIGKILL at random moments loses nothing, and repeats only whole messages under their own id", async () => {
    const fixture = await createFixture();
    fixture.configure({
      watches: { w: { type: "search", query: "acme" }, again: { type: "search", query: "acme" } },
    });
    fixture.api.post("search:acme", 10);
    let daemon: RunningDaemon = await fixture.startProcess();
    await Promise.all([noted(daemon, "w"), noted(daemon, "again")]);
    const fresh: string[] = [];
    let left = 0;
    const flow = setInterval(() => {
      if (left > 0) fresh.push(...fixture.api.post("search:acme", 2));
      left -= 2;
    }, 150);
    for (let kills = 0; kills < KILLS; kills += 1) {
      left = POSTS_BETWEEN_KILLS;
      await pause(Math.random() * 900);
      daemon.kill("SIGKILL");
      await daemon.gone;
      daemon = await (kills + 1 < KILLS ? fixture.startProcess() : fixture.start());
      // In the second half the daemon is killed with deliveries in progress, because a poll has
      // just been answered.
      if (kills >= KILLS / 2) await morePolls(fixture.api, "search-tweets", 1);
    }
    clearInterval(flow);
    const expected = ["again", "w"].flatMap((watch) => fresh.map((id) => `${watch} ${id}`));
    const alerted = () =>
      new Set(fixture.hook.events().map(({ watch, subject }) => `${watch} ${subject}`));
    await until(
      "every tweet",
      () => alerted().size >= expected.length,
      () =>
        `${alerted().size} of ${expected.length}, ${fixture.api.asked.length} asked\n${JSON.stringify(fixture.api.asked.slice(-12))}\n${daemon.err()}`,
    );
    await morePolls(fixture.api, "search-tweets");
    expect(sorted([...alerted()])).toEqual(sorted(expected));
    const bodies = new Map<string, string>();
    const messageOf = new Map<string, string>();
    for (const { id, body, isSigned, events } of fixture.hook.messages()) {
      expect(isSigned).toBe(true);
      expect(bodies.get(id) ?? body).toBe(body);
      bodies.set(id, body);
      for (const event of events) {
        const eventId = event.data.id as string;
        expect(messageOf.get(eventId) ?? id).toBe(id);
        messageOf.set(eventId, id);
      }
    }
    expect(messageOf.size).toBe(expected.length);
    await allSent(daemon);
  });

  it("fault 57: SIGTERM lets a send under way finish, and leaves with 0", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    const daemon = await fixture.startProcess();
    await noted(daemon, "w");
    let answered = 0;
    fixture.hook.answer((_, response) => {
      setTimeout(() => {
        answered += 1;
        response.writeHead(204).end();
      }, 2_000);
    });
    const fresh = fixture.api.post("search:acme", 6);
    const seen = () =>
      `${fixture.hook.messages().length}, ${JSON.stringify(fixture.api.asked.slice(-6))}\n${daemon.err()}`;
    await until("a send under way", () => fixture.hook.messages().length >= 4, seen);
    daemon.kill("SIGTERM");
    const ended = await daemon.gone;
    expect(ended.code).toBe(0);
    const before = fixture.hook.messages().length;
    expect(answered).toBe(before);
    fixture.hook.answer((_, response) => response.writeHead(204).end());
    const second = await fixture.start();
    await until("the rest", () => fixture.hook.subjects().length >= fresh.length, second.err);
    expect(sorted(fixture.hook.events().map(({ subject }) => subject))).toEqual(sorted(fresh));
    await allSent(second);
  });

  it("fault 57: SIGTERM leaves with 0 also beside a receiver that hangs for ever", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    const daemon = await fixture.startProcess();
    await noted(daemon, "w");
    fixture.hook.answer(() => {});
    fixture.api.post("search:acme", 1);
    await until("a send under way", () => fixture.hook.messages().length > 0, daemon.err);
    daemon.kill("SIGTERM");
    expect((await daemon.gone).code).toBe(0);
  });

  it("SIGTERM in the middle of the start is an orderly stop, too", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    const daemon = await fixture.start();
    daemon.kill("SIGTERM");
    expect(await daemon.gone).toMatchObject({ code: 0, signal: null });
  });

  it("fault 58: a second signal ends it at once", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    const daemon = await fixture.startProcess();
    await noted(daemon, "w");
    fixture.hook.answer(() => {});
    fixture.api.post("search:acme", 1);
    await until("a send under way", () => fixture.hook.messages().length > 0);
    daemon.kill("SIGTERM");
    await daemon.logged("stopping");
    daemon.kill("SIGINT");
    // An orderly stop would end with 0.
    expect(await daemon.gone).toMatchObject({ code: 1, signal: null });
    expect(daemon.log().map(({ msg }) => msg)).not.toContain("stopped");
  });

  it("fault 69: an error that nobody caught is logged and ends the process, and the next start loses nothing", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    const fault = join(fixture.folder, "fault.mjs");
    writeFileSync(
      fault,
      'process.on("SIGUSR2", () => void Promise.reject(new Error("planted")));\n',
    );
    const first = await fixture.startProcess({
      NODE_OPTIONS: `--import ${pathToFileURL(fault).href}`,
    });
    await noted(first, "w");
    const fresh = fixture.api.post("search:acme", 4);
    await until("an alert", () => fixture.hook.messages().length > 0);
    first.kill("SIGUSR2");
    expect(await first.gone).toMatchObject({ code: 70, signal: null });
    const [line, ...more] = first.log().filter(({ level }) => level === "error");
    expect(more).toEqual([]);
    expect(JSON.stringify(line)).toMatch(/unexpected error.*planted|planted.*unexpected error/);
    const second = await fixture.start();
    await second.logged(/^w: baseline done/);
    await until("the rest", () => fixture.hook.subjects().length >= fresh.length);
    await morePolls(fixture.api, "search-tweets");
    expect(sorted(fixture.hook.subjects())).toEqual(sorted(fresh));
  });

  it("keeps quiet about what it was silent about, and finds what it missed, after a clean stop", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    fixture.api.post("search:acme", 10);
    const first = await fixture.start();
    await noted(first, "w");
    first.kill("SIGTERM");
    expect((await first.gone).code).toBe(0);
    const missed = fixture.api.post("search:acme", 30);
    const second = await fixture.start();
    await second.logged(/^w: baseline done, \d+ items known/);
    await until("what was missed", () => fixture.hook.subjects().length >= missed.length);
    await morePolls(fixture.api, "search-tweets");
    expect(sorted(fixture.hook.subjects())).toEqual(sorted(missed));
  });
});
