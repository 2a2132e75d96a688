/**
 * Measures how long each page of the built daemon takes with 1,000 watches, 200,000 alerts and a
 * month of requests: the longest of several answers, and the longest turn of the event loop.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openHandle } from "../src/state/db/sqlite.ts";
import { startApiStub } from "./api-stub.ts";
import { configText } from "./config-text.ts";
import { type DaemonProcess, startDaemonProcess } from "./daemon-process.ts";
import type { Figure } from "./figure.ts";
import { addAlerts } from "./filled-alerts.ts";
import { fillState } from "./filled-state.ts";
import { idleSchedule } from "./idle.ts";
import { inScratch } from "./scratch.ts";
import type { Turn } from "./turns.ts";

const WATCHES = 1_000;
const RUNS = 5;
/** The daemon collects the garbage of its start and prunes its state within this time. */
const SETTLE_MS = 70_000;

export const benchPages = (): Promise<readonly Figure[]> => inScratch(measure);

async function measure(folder: string): Promise<readonly Figure[]> {
  const api = await startApiStub();
  const path = join(folder, "watches.yaml");
  await writeFile(
    path,
    configText({ apiUrl: api.url, watches: WATCHES, scheduleOf: idleSchedule }),
  );
  await fillState(path, { firstMs: Date.now(), stepMs: 0 });
  await addAlerts(join(folder, "state.db"), WATCHES);
  const handle = openHandle(join(folder, "state.db"), { readonly: false, mustExist: true });
  handle.exec(SPENT);
  handle.close();
  const daemon = startDaemonProcess(path, { preload: new URL("turns.js", import.meta.url).href });
  try {
    const line = await daemon.said("status page is up");
    const url = /http:\/\/[\d.:]+/.exec(line)?.[0] ?? "";
    await pause(SETTLE_MS);
    // The first request of this process takes longer, which has nothing to do with the daemon.
    await (await fetch(api.url)).text();
    // Nobody has asked the daemon before, so this visit finds what the daemon has prepared by
    // itself.
    const first = await measurePage(daemon, "overview, the first visit after a start", {
      url: `${url}/`,
      runs: 1,
    });
    const { events } = (await (await fetch(`${url}/api/v1/events?limit=1`)).json()) as {
      readonly events: readonly { readonly data: { readonly id: string } }[];
    };
    const pages = {
      "overview, later visits": "/",
      alerts: "/events",
      "a search for a text that is nowhere": "/events?text=nowheretobefound",
      "one alert": `/alerts/${events[0]?.data.id ?? ""}`,
      "an item that nobody saw": "/alerts?item=1999999999999999999",
      "one watch": "/watches/w3",
      "one sink": "/sinks/terminal",
    };
    const figures = [first];
    for (const [name, page] of Object.entries(pages))
      figures.push(await measurePage(daemon, name, { url: `${url}${page}`, runs: RUNS }));
    return figures;
  } finally {
    await daemon.stop();
    await api.close();
  }
}

async function measurePage(
  daemon: DaemonProcess,
  name: string,
  { url, runs }: { readonly url: string; readonly runs: number },
): Promise<Figure> {
  const times: number[] = [];
  let turns: readonly Turn[] = [];
  for (let run = 0; run < runs; run += 1) {
    await daemon.ask<readonly Turn[]>();
    const startMs = performance.now();
    await (await fetch(url)).text();
    times.push(performance.now() - startMs);
    turns = await daemon.ask<readonly Turn[]>();
  }
  const cpu = turns.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  const longest = Math.max(0, ...turns.map(({ cpuMs }) => cpuMs));
  const range = [...new Set([Math.min(...times), Math.max(...times)].map((ms) => ms.toFixed(0)))];
  return {
    name,
    value: `${range.join(" to ")} ms${runs === 1 ? "" : ` (first ${times[0]?.toFixed(0)})`}, the last one ${cpu.toFixed(0)} ms of CPU, longest turn ${longest.toFixed(1)}`,
  };
}

/** A month of requests: each watch pays in each hour. */
const SPENT = `
  with recursive hours(hour) as (
    select strftime('%s', 'now') / 3600 - 24 * 31 union all
    select hour + 1 from hours where hour < strftime('%s', 'now') / 3600),
  watches(n) as (select 0 union all select n + 1 from watches where n < ${WATCHES - 1})
  insert or ignore into spent_lines (hour, watch, endpoint, key, requests)
  select hour, 'w' || n, 'search-tweets', 'main', 4 from hours, watches;
  insert or ignore into spent_hours (hour, key, requests)
  select hour, 'main', sum(requests) from spent_lines group by hour;`;
