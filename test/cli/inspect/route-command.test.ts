/** Tests `route test`: which routes and sinks an event would take, by the configuration alone. */
import { beforeAll, expect, it } from "vitest";
import { makeFolder } from "../../support/bin-process.ts";
import { writeConfig } from "../../support/daemon-process.ts";
import { runCommand } from "../../support/run-command.ts";

let folder: string;
const test = (...labels: string[]) => runCommand(["route", "test", ...labels], { cwd: folder });
const sinksOf = async (...labels: string[]) =>
  JSON.parse((await test(...labels, "--json")).out).sinks.map((one: any) => [one.sink, one.route]);

beforeAll(() => {
  folder = makeFolder();
  const console = { type: "console" };
  writeConfig(folder, {
    version: 1,
    time_intervals: { always: [{ timezone: "UTC" }] },
    watches: {
      brand: { type: "search", query: "acme", labels: { team: "comms" } },
      own: { type: "search", query: "acme", sink: "b" },
    },
    sinks: { a: console, b: console, rest: console },
    route: {
      sink: "rest",
      routes: [
        {
          matchers: ['team="comms"'],
          sink: "a",
          group_by: ["watch", "lang"],
          mute_time_intervals: ["always"],
          continue: true,
          routes: [
            {
              matchers: ['lang="de"'],
              sink: ["a", "b"],
              mute_time_intervals: ["always"],
              on_mute: "drop",
            },
          ],
        },
        { matchers: ['severity="critical"'], sink: ["b", "a"] },
      ],
    },
    ops: { sink: "rest" },
  });
});

it("names each sink with the first route that leads to it; a watch brings its labels along", async () => {
  expect(await sinksOf("watch=brand")).toEqual([["a", "route.routes[0]"]]);
  expect(await sinksOf("watch=brand", "severity=critical")).toEqual([
    ["a", "route.routes[0]"],
    ["b", "route.routes[1]"],
  ]);
  expect(await sinksOf("team=comms", "lang=de")).toEqual([
    ["a", "route.routes[0].routes[0]"],
    ["b", "route.routes[0].routes[0]"],
  ]);
  expect(await sinksOf("lang=de")).toEqual([["rest", "route"]]);
  expect(await sinksOf("watch=own", "severity=critical")).toEqual([["b", null]]);
  expect(await sinksOf("type=daemon", "event=watch.gap")).toEqual([["rest", null]]);
});

it("says how a sink's alerts are grouped, and whether they are muted now", async () => {
  const held = await test("watch=brand");
  expect(held).toMatchObject({ code: 0, err: "" });
  expect(held.out).toMatch(/^labels: severity="info" team="comms" type="search" watch="brand"$/m);
  expect(held.out).toMatch(
    /^a +route\.routes\[0\] \(team="comms"\) +watch, lang +held now by always until \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m,
  );
  expect((await test("team=comms", "lang=de")).out).toMatch(
    /^b +route\.routes\[0\]\.routes\[0\] \(lang="de"\) +.+ +muted now by always: not sent$/m,
  );
  expect((await test("watch=own")).out).toMatch(/^b +the watch's own sink +-$/m);
  expect((await test("type=daemon")).out).toMatch(/^rest +ops\.sink +-$/m);
});

it("refuses labels that no event has, values that none can have, and what is no label", async () => {
  expect(await test("tem=x", "watch=brnd", "lang")).toEqual({
    code: 2,
    out: "",
    err: [
      'no event has a label "tem"; did you mean `team`?',
      'no watch is called "brnd"; did you mean `brand`?',
      '"lang" is not a label with a value: write LABEL=VALUE, like team=comms',
      "chirpwatch route test --help shows examples\n",
    ].join("\n"),
  });
});
