/** The delivering half and the daemon's own notices, around one configuration in force: what a reload swaps, in one place. */
import type { Config } from "../config/config.ts";
import { createNotices, type Notices } from "../engine/notices.ts";
import type { Meter } from "../model/meter.ts";
import type { Store } from "../model/store.ts";
import type { SinkDeps } from "../sinks/sink-type.ts";
import type { DaemonDeps } from "./daemon-deps.ts";
import { checkSinks, createDelivery, type Delivery, type DeliveryDeps } from "./delivery.ts";

export interface Delivering {
  /** The configuration in force. */
  readonly config: () => Config;
  readonly delivery: () => Delivery;
  readonly notices: Notices;
  /** Builds what another configuration delivers to, beside what is in force. */
  prepare(next: Config): Promise<Prepared>;
  /** Proves credentials that can be proved cheaply. Never rejects. */
  check(): Promise<void>;
  stop(graceMs: number): Promise<void>;
}

/** A configuration that is in force when it is entered; one that is not has to be dropped. */
export interface Prepared {
  enter(): Promise<void>;
  drop(): Promise<void>;
}

/** Messages under way at a reload get less time than at a stop. */
const SWAP_GRACE_MS = 5_000;

export async function createDelivering(initial: Config, store: Store, meter: Meter, deps: DaemonDeps): Promise<Delivering> {
  const { clock, random, hash, log, http } = deps;
  let config = initial;
  let delivery: Delivery;
  const notices = createNotices({
    store,
    clock,
    random,
    hash,
    log,
    meter,
    wakeDelivery: () => delivery.pump.wake(),
    route: (event, exceptSink, nowMs) => delivery.routeNotice(event, exceptSink, nowMs),
  });
  const sinkDeps = (of: Config): SinkDeps => ({ http, clock, log, write: deps.write, linksHost: of.linksHost });
  const deliveryDeps = (of: Config): DeliveryDeps => ({
    store,
    clock,
    random,
    log,
    meter,
    sinkDeps: sinkDeps(of),
    ...sinkNotices(notices),
  });
  delivery = await createDelivery(config, deliveryDeps(config));
  return {
    config: () => config,
    delivery: () => delivery,
    notices,
    async prepare(next) {
      const fresh = await createDelivery(next, deliveryDeps(next));
      return {
        async enter() {
          const old = delivery;
          config = next;
          delivery = fresh;
          // The old half lets go before the new one starts: one message is never in two hands.
          await old.stop(SWAP_GRACE_MS);
          await fresh.pump.start();
        },
        drop: () => fresh.stop(0),
      };
    },
    check: () => checkSinks(delivery, sinkDeps(config)),
    stop: (graceMs) => delivery.stop(graceMs),
  };
}

const sinkNotices = (notices: Notices): Pick<DeliveryDeps, "onSinkFailing" | "onSinkRecovered"> => ({
  onSinkFailing: ({ sink, reason, hint }) =>
    notices.tell({
      type: "sink.failing",
      subject: sink,
      severity: "critical",
      message: `${sink} does not take messages: ${reason}`,
      hint: hint || "Nothing is lost: the backlog goes out when it works again.",
      exceptSink: sink,
    }),
  onSinkRecovered: (sink) =>
    notices.tell({ type: "sink.recovered", subject: sink, severity: "info", message: `${sink} takes messages again.` }),
});
