/** Several daemons on one Postgres, each in a folder of its own, as on a machine of its own. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ReplicaView, StatusView } from "../../src/server/words/views.ts";
import { type DaemonProcess, startDaemonProcess } from "../daemon-process.ts";

export interface Replica extends DaemonProcess {
  status(): Promise<StatusView>;
}

/** Resolves when its status page is up. */
export async function startReplica(folder: string, text: string): Promise<Replica> {
  await mkdir(folder);
  const path = join(folder, "watches.yaml");
  await writeFile(path, text);
  const daemon = startDaemonProcess(path);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await daemon.said("status page is up"))?.[0];
  return {
    ...daemon,
    status: async () => (await fetch(`${url}/api/v1/status`)).json() as Promise<StatusView>,
  };
}

/** Waits until each replica has its part of the polls; what they all have. */
export async function untilShared(replicas: readonly Replica[]): Promise<readonly ReplicaView[]> {
  const [any] = replicas;
  for (;;) {
    const views = (await any?.status().catch(() => undefined))?.replicas ?? [];
    const polls = views.map((view) => view.polls);
    const mean = polls.reduce((sum, count) => sum + count, 0) / replicas.length;
    const isEven = polls.every((count) => count > 0 && Math.abs(count - mean) <= Math.max(1, mean * 0.1));
    if (views.length === replicas.length && isEven) return views;
    await pause(100);
  }
}

/** Where the one that leads stands among them. */
export async function leaderOf(replicas: readonly Replica[]): Promise<number> {
  const leads = await Promise.all(replicas.map(async (one) => (await one.status()).replicas?.some((view) => view.answers && view.leads)));
  return leads.indexOf(true);
}
