/**
 * The longest turn of the event loop while the built command computes a report over 200,000
 * alerts: the first report after its start, and later ones. The alerts and their deliveries are
 * written beforehand, as polls and the sink would have done.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ReportView } from "../src/model/report.ts";
import { startApiStub } from "./api-stub.ts";
import { configText } from "./config-text.ts";
import { type DaemonProcess, startDaemonProcess } from "./daemon-process.ts";
import type { Figure } from "./figure.ts";
import { addAlerts } from "./filled-alerts.ts";
import { fillState } from "./filled-state.ts";
import { idleSchedule } from "./idle.ts";
import { inScratch } from "./scratch.ts";
import { quantile, wholeText } from "./summary.ts";
import type { Turn } from "./turns.ts";

const WATCHES = 20;
const WARM_REPORTS = 3;
/** How long paged work may block the event loop. */
const LIMIT_MS = 20;
/** The daemon collects the garbage of its start and prunes its state within this time. */
const SETTLE_MS = 70_000;

export const benchReport = (): Promise<readonly Figure[]> => inScratch(measure);

async function measure(folder: string): Promise<readonly Figure[]> {
  const api = await startApiStub();
  const path = join(folder, "watches.yaml");
  const watches = { apiUrl: api.url, watches: WATCHES, scheduleOf: idleSchedule };
  await writeFile(
    path,
    `${configText(watches)}reports: { all: { schedule: "0 0 1 1 *", sink: terminal, by: [author], timezone: Europe/Berlin } }\n`,
  );
  await fillState(path, { firstMs: Date.now(), stepMs: 0 });
  await addAlerts(join(folder, "state.db"), WATCHES);
  const daemon = startDaemonProcess(path, { preload: new URL("turns.js", import.meta.url).href });
  try {
    const line = await daemon.said("status page is up");
    const url = /http:\/\/[\d.:]+/.exec(line)?.[0] ?? "";
    await pause(SETTLE_MS);
    // The first request of any kind loads the server's routes, which is not part of a report.
    await (await fetch(`${url}/api/v1/watches`)).text();
    const whole = `${url}/api/v1/report?name=all&since=7d`;
    const figures = [await measureReport(daemon, "first report", whole)];
    for (let run = 0; run < WARM_REPORTS; run += 1)
      figures.push(await measureReport(daemon, "a later report", whole));
    figures.push(
      await measureReport(
        daemon,
        "a report on one watch",
        `${url}/api/v1/report?watch=w3&since=7d`,
      ),
    );
    return figures;
  } finally {
    await daemon.stop();
    await api.close();
  }
}

async function measureReport(daemon: DaemonProcess, name: string, url: string): Promise<Figure> {
  await daemon.ask<readonly Turn[]>();
  const startMs = performance.now();
  const answer = await fetch(url);
  const report = (await answer.json()) as ReportView;
  const tookMs = performance.now() - startMs;
  const turns = await daemon.ask<readonly Turn[]>();
  const alerts = report.watches.reduce((sum, { alerted }) => sum + alerted.count, 0);
  const cpuMs = turns.map((turn) => turn.cpuMs);
  const over = cpuMs.filter((ms) => ms > LIMIT_MS).length;
  const longest = Math.max(...turns.map((turn) => turn.tookMs));
  return {
    name: `${name} over ${wholeText(alerts)} alerts`,
    value: `longest turn ${Math.max(...cpuMs).toFixed(1)} ms of CPU (p99 ${quantile(cpuMs, 0.99).toFixed(1)}, ${over} of ${wholeText(turns.length)} over ${LIMIT_MS} ms), ${longest.toFixed(1)} ms on the clock; ${wholeText(tookMs)} ms in all`,
  };
}
