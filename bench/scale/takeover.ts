/** Of two daemons on one Postgres the active one is killed, again and again: how long until the other holds the state, and until it asks the service. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres } from "../../test/support/postgres.ts";
import { type ApiStub, startApiStub } from "../api-stub.ts";
import { configText } from "../config-text.ts";
import { type DaemonProcess, startDaemonProcess } from "../daemon-process.ts";
import type { Figure } from "../figure.ts";
import { inScratch } from "../scratch.ts";
import { wholeText } from "../summary.ts";

const KILLS = Number(process.env["SCALE_KILLS"] ?? 30);
/** Polls that are due soon after each other: a takeover is seen at once. */
const WATCHES = 50;

export const benchTakeover = (): Promise<readonly Figure[]> =>
  inScratch(async (folder) => {
    const [api, server] = [await startApiStub(), await startPostgres()];
    const url = await server.url();
    const start = async (number: number): Promise<DaemonProcess> => {
      const own = join(folder, `replica${number}`);
      await mkdir(own);
      const text = configText({ apiUrl: api.url, watches: WATCHES, scheduleOf: () => "@every 1s" });
      await writeFile(join(own, "watches.yaml"), text.replace("{ path: state.db }", `{ url: "${url}" }`));
      return startDaemonProcess(join(own, "watches.yaml"));
    };
    let active = await start(0);
    const takeovers: Takeover[] = [];
    try {
      await active.said("status page is up");
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const standby = await start(kill);
        await standby.said("standing by");
        takeovers.push(await takeOver(active, standby, api));
        active = standby;
      }
    } finally {
      await active.stop();
      await server.remove();
      await api.close();
    }
    return [
      figure(
        "killed until the other is active",
        takeovers.map(({ activeMs }) => activeMs),
      ),
      figure(
        "killed until the other asks the service",
        takeovers.map(({ askedMs }) => askedMs),
      ),
    ];
  });

interface Takeover {
  readonly activeMs: number;
  readonly askedMs: number;
}

async function takeOver(active: DaemonProcess, standby: DaemonProcess, api: ApiStub): Promise<Takeover> {
  await active.kill();
  const killedMs = performance.now();
  const asked = api.nextBilled();
  await standby.said("is active now");
  const activeMs = performance.now() - killedMs;
  return { activeMs, askedMs: (await asked) - killedMs };
}

function figure(name: string, tookMs: readonly number[]): Figure {
  const sorted = tookMs.toSorted((one, other) => one - other);
  const at = (share: number) => wholeText(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { name, value: `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms of ${sorted.length} kills` };
}
