/**
 * The writing part of a replica as a process of its own, started with fork(): polls that find one
 * new item each, and a webhook that receives their events. Carries out the parent's orders and
 * reports when each is done. Ends with its parent.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { PostgresAddress } from "../../src/model/postgres-address.ts";
import { parsePostgresUrl } from "../../src/config/text/postgres-url.ts";
import { createDeliveryHarness } from "../delivery-harness.ts";
import { createPollingHarness } from "../polling-harness.ts";
import { makeTweets } from "../tweets.ts";

export interface WriterOptions {
  readonly folder: string;
  /** The address of the state. Undefined: a file. */
  readonly stateUrl: string | undefined;
  /** The address of the receiver. */
  readonly url: string;
  readonly number: number;
  readonly of: number;
}

export type ToWriter =
  | { readonly open: WriterOptions }
  | { readonly polls: number; readonly items: number }
  | { readonly drain: number };

let harness: Awaited<ReturnType<typeof createPollingHarness>> | undefined;
let delivery: Awaited<ReturnType<typeof createDeliveryHarness>> | undefined;

process.on("message", (message: ToWriter) => {
  void follow(message).then(
    () => process.send?.("done"),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit(0));

async function follow(message: ToWriter): Promise<void> {
  if ("open" in message) return open(message.open);
  if (harness === undefined || delivery === undefined) throw new Error("nothing is open");
  if ("polls" in message) {
    for (let poll = 0; poll < message.polls; poll += 1) {
      const { outcome } = await harness.poll(makeTweets(message.items));
      if (outcome.events !== message.items) throw new Error(`${outcome.events} events`);
    }
    return;
  }
  await delivery.pump.start();
  delivery.pump.wake();
  const { store } = harness;
  const isDone = async () =>
    (await store.outboxStats()).reduce((sum, { sent }) => sum + sent, 0) >= message.drain;
  while (!(await isDone())) await pause(50);
}

async function open({ folder, stateUrl, url, number, of }: WriterOptions): Promise<void> {
  const address =
    stateUrl === undefined ? undefined : (parsePostgresUrl(stateUrl, "/") as PostgresAddress);
  harness = await createPollingHarness({
    folder,
    ...(address === undefined ? {} : { postgres: address }),
    writer: { number, of },
  });
  delivery = await createDeliveryHarness({ folder, store: harness.store, url, writer: number });
}
