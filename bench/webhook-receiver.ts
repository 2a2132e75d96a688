/** Starts the receiver's process and asks it for arrivals. */
import { fork } from "node:child_process";
import { once } from "node:events";
import type { Arrival, FromReceiver } from "./webhook-process.ts";

export type { Arrival };

export interface WebhookReceiver {
  readonly url: string;
  /** Returns what arrived since the last call. */
  arrivals(): Promise<readonly Arrival[]>;
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const child = fork(new URL("./webhook-process.js", import.meta.url));
  const answer = async () => ((await once(child, "message")) as [FromReceiver])[0];
  const first = await answer();
  if (!("port" in first)) throw new Error("the receiver did not say where it listens");
  return {
    url: `http://127.0.0.1:${first.port}/hook`,
    async arrivals() {
      child.send("report");
      const report = await answer();
      return "arrivals" in report ? report.arrivals : [];
    },
    async close() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}
