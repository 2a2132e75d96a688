/**
 * The delivering half of the daemon. It is built from one configuration and replaced as a whole at
 * a reload.
 */
import { createPump, type Pump, type PumpDeps } from "../../deliver/pump.ts";
import { DestinationPace } from "../../deliver/queue/destination-pace.ts";
import { MessageSizes } from "../../deliver/queue/message-sizes.ts";
import type { PumpSink } from "../../deliver/queue/sink-queue.ts";
import { createSinkWaits, type SinkWaits } from "../../deliver/queue/sink-waits.ts";
import type { Config, SinkConfig } from "../../config/config.ts";
import type { EditCause } from "../../model/edit-cause.ts";
import { errorText } from "../../model/errors.ts";
import { type Sink, SinkError } from "../../model/sink.ts";
import type { Destinations } from "../fleet/destinations.ts";
import { escalatingOf } from "../../operate/alerts/escalations.ts";
import { createActAt, listedAt } from "../../operate/alerts/listed-at.ts";
import { throttlesByKey } from "../../route/route-event.ts";
import { digestsByName } from "../../route/scheduled-digest.ts";
import type { SinkDeps, SinkType } from "../../sinks/kind/sink-type.ts";
import {
  createSink,
  placeOfSink,
  sinkFactsOf,
  sinkTypeOf,
} from "../../operate/alerts/create-sink.ts";
import { createReader } from "../../operate/create-reader.ts";
import { type RunningTemplates, startTemplates, type TemplateDeps } from "./templates.ts";
import { createWaitRules, type WaitRulesDeps } from "../../operate/alerts/routing.ts";

export interface BuiltSink {
  readonly config: SinkConfig;
  readonly type: SinkType<any>;
  readonly sink: Sink;
}

export interface Delivery {
  readonly pump: Pump;
  /** Whether this replica delivers to the sink; undefined if the sink is not configured. */
  holds(sink: string): boolean | undefined;
  readonly sinks: ReadonlyMap<string, BuiltSink>;
  readonly templates: RunningTemplates | undefined;
  /** Whether alerts of any sink may be escalated. */
  readonly escalates: boolean;
  /** The sinks that edit their messages, each with the causes for an edit. */
  readonly editCauses: ReadonlyMap<string, ReadonlySet<EditCause>>;
}

export type DeliveryDeps = Omit<
  PumpDeps,
  | "waitRules"
  | "sinks"
  | "movedSinks"
  | "throttles"
  | "digests"
  | "escalating"
  | "readEvent"
  | "listedAt"
  | "templates"
> &
  TemplateDeps &
  WaitRulesDeps &
  Pick<Destinations, "submit"> & {
    readonly sinkDeps: SinkDeps;
    /** Called when this replica has read which sinks it delivers to. */
    onShareTaken(): void;
    /**
     * The pace by sink type and place. It is kept across reloads, so that rate limits also count
     * the messages that were sent before the reload.
     */
    readonly paces: Map<string, DestinationPace>;
    /**
     * The accepted message sizes by sink type and place. They are kept across reloads, so that
     * refusals before the reload still count.
     */
    readonly sizes: Map<string, MessageSizes>;
    /**
     * The waits by sink name. If the settings of the sink are unchanged, its wait is kept across a
     * reload.
     */
    readonly waits: Map<string, KeptWaits>;
  };

export async function createDelivery(config: Config, deps: DeliveryDeps): Promise<Delivery> {
  const sinks = new Map<string, BuiltSink>();
  for (const one of config.sinks) {
    sinks.set(one.name, {
      config: one,
      type: sinkTypeOf(one),
      sink: await createSink(one, deps.sinkDeps),
    });
  }
  const pumpSinks = new Map(
    [...sinks].map(([name, built]) => [name, pumpSinkOf(built, deps, config)]),
  );
  const templates = startTemplates(config.templates, deps);
  const readers = new Map(
    config.sinks.map(({ name, region }) => [name, createReader(config.linksHost, region)]),
  );
  const readPlainly = createReader(config.linksHost);
  const pump = createPump({
    ...deps,
    sinks: pumpSinks,
    movedSinks: config.sinks.flatMap(({ name, movedFrom }) =>
      movedFrom === undefined ? [] : [{ from: movedFrom, to: name }],
    ),
    throttles: throttlesByKey(config.route, sinkFactsOf(config.sinks)),
    waitRules: createWaitRules(config, deps),
    escalating: escalatingOf(config),
    digests: digestsByName(config.route, sinkFactsOf(config.sinks)),
    readEvent: (event, sink) => (readers.get(sink) ?? readPlainly)(event),
    listedAt: (events) => listedAt(config.server.publicUrl, events),
    templates,
  });
  const editCauses = new Map(
    [...sinks].flatMap(([name, { sink }]) =>
      sink.updates === undefined ? [] : [[name, sink.updates.causes]],
    ),
  );
  const start = async () => {
    // If the state cannot be written now, the replica that leads will assign the destinations a
    // little later.
    await deps
      .submit([...pumpSinks.values()])
      .catch((error: unknown) =>
        deps.log.warn("destinations could not be shared out yet", { error }),
      );
    await pump.start();
  };
  const takeShare = async () => {
    await pump.takeShare();
    deps.onShareTaken();
  };
  const holds = (name: string) => {
    const target = pumpSinks.get(name);
    return target === undefined ? undefined : deps.holds(target);
  };
  const stop = async (graceMs: number) => {
    await pump.stop(graceMs);
    await templates?.runner.stop();
  };
  const escalates = escalatingOf(config) !== undefined;
  return {
    pump: { ...pump, start, takeShare, stop },
    holds,
    sinks,
    editCauses,
    templates,
    escalates,
  };
}

function pumpSinkOf(
  { config, type, sink }: BuiltSink,
  known: Pick<DeliveryDeps, "paces" | "sizes" | "waits">,
  whole: Pick<Config, "server">,
): PumpSink {
  const place = placeOfSink(config);
  const key = `${config.type}\n${place}`;
  const pace = known.paces.get(key) ?? new DestinationPace(type.limits?.(config.settings));
  known.paces.set(key, pace);
  const sizes = known.sizes.get(key) ?? new MessageSizes();
  known.sizes.set(key, sizes);
  const { chat, concurrency } = type;
  const { template, region } = config;
  return {
    ...{
      type: config.type,
      sink,
      chat,
      concurrency,
      retryForMs: config.retryForMs,
      place,
      pace,
      sizes,
    },
    waits: waitsOf(config, known.waits),
    template,
    region,
    actAt: createActAt(whole, config),
    hasMoments: type.hasMoments,
  };
}

/** A wait that a sink asked for, and the settings that the sink had at that time. */
interface KeptWaits {
  readonly settings: string;
  readonly waits: SinkWaits;
}

/**
 * Returns the waits of a sink. If its settings have changed, there is no wait, because the change
 * may have repaired the sink.
 */
function waitsOf({ name, type, settings }: SinkConfig, kept: Map<string, KeptWaits>): SinkWaits {
  const now = JSON.stringify([type, settings]);
  const known = kept.get(name);
  const waits = known?.settings === now ? known.waits : createSinkWaits();
  kept.set(name, { settings: now, waits });
  return waits;
}

/**
 * Checks credentials for which one cheap request is enough. Failures are only logged, because
 * deliveries will show them as well.
 */
export async function verifySinks(delivery: Delivery, sinkDeps: SinkDeps): Promise<void> {
  for (const [name, { type, config }] of delivery.sinks) {
    try {
      await type.check?.(config.settings, sinkDeps);
    } catch (error) {
      const fields = {
        sink: name,
        error: errorText(error),
        ...(error instanceof SinkError && error.hint !== "" ? { hint: error.hint } : {}),
      };
      const kind = error instanceof SinkError ? error.kind : "transient";
      if (kind === "destination") sinkDeps.log.warn("a sink refuses its credentials", fields);
      else if (kind === "rate_limited") sinkDeps.log.info("a sink asked to wait", fields);
      else sinkDeps.log.warn("a sink could not be asked whether its credentials are good", fields);
    }
  }
}
