/** Second stage: fixes what will be sent, for good. After it a message keeps its id and body through every attempt and restart. */
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Json } from "../model/json.ts";
import type { Log } from "../model/log.ts";
import type { NeutralMessage } from "../model/message.ts";
import type { Random } from "../model/random.ts";
import type { OutboxEvent } from "../model/sink.ts";
import type { DueMessage, NewMessage, Outbox } from "../model/outbox.ts";
import type { Bundle, Claim } from "./group.ts";
import { busyKey, type Lane, type Parcel } from "./lane.ts";
import type { Stage } from "./stage.ts";

export interface SealDeps {
  readonly store: Outbox;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readEvent(event: OutboxEvent): NeutralMessage;
  /** Called with the events of every message once it is durable. */
  onSealed(messageId: string, events: readonly OutboxEvent[]): void;
}

/** A body no sink makes: the message could not be rendered. The send stage gives it up. */
const UNRENDERED: Json = { chirpwatch_unrendered: true };

export const isUnrendered = (body: Json): boolean => typeof body === "object" && body !== null && "chirpwatch_unrendered" in body;

export function createSealStage(deps: SealDeps): Stage<Claim, readonly Parcel[]> {
  return {
    name: "seal",
    async run({ lane, messages, bundles }) {
      const sealed = bundles.map((bundle) => sealBundle(deps, lane, bundle));
      if (sealed.length > 0) await deps.store.seal(sealed.map(({ message }) => message));
      for (const { message, events } of sealed) deps.onSealed(message.id, events);
      return [...messages.map((message) => takeUp(lane, message)), ...sealed.map((parcel) => firstAttempt(lane, parcel))];
    },
  };
}

interface Sealed {
  readonly message: NewMessage;
  readonly events: readonly OutboxEvent[];
  readonly busyKeys: readonly string[];
}

function sealBundle(deps: SealDeps, lane: Lane, bundle: Bundle): Sealed {
  const events = bundle.groups.flatMap((group) => group.members).sort(byDetection);
  const [first] = bundle.groups;
  const groupKey = bundle.groups.length === 1 && first !== undefined ? first.groupKey : `digest\n${bundle.throttleKey ?? ""}`;
  const id = deps.random.id();
  const message: NewMessage = {
    id,
    sink: lane.name,
    groupKey,
    sealedAtMs: deps.clock.now(),
    body: render(deps, lane, id, events, bundle.digest),
    deliveryIds: events.map(({ deliveryId }) => deliveryId),
    throttleKey: bundle.throttleKey,
  };
  return { message, events, busyKeys: [groupKey, ...bundle.groups.map((group) => group.groupKey)].map((key) => busyKey(lane.name, key)) };
}

function render(deps: SealDeps, lane: Lane, messageId: string, events: readonly OutboxEvent[], isDigest: boolean): Json {
  try {
    // A digest of one event is that event.
    const digest = isDigest && events.length > 1;
    return lane.sink.render({ messageId, events, digest, sample: false, read: deps.readEvent });
  } catch (error) {
    deps.log.error("a message could not be rendered", { sink: lane.name, messageId, error: errorText(error) });
    return UNRENDERED;
  }
}

const byDetection = (a: OutboxEvent, b: OutboxEvent): number => a.event.detectedAtMs - b.event.detectedAtMs;

function firstAttempt(lane: Lane, { message, busyKeys }: Sealed): Parcel {
  const { deliveryIds: _ids, throttleKey: _key, ...sealed } = message;
  return hold(lane, { ...sealed, attempts: 0, firstAttemptAtMs: null }, busyKeys);
}

const takeUp = (lane: Lane, message: DueMessage): Parcel => hold(lane, message, [busyKey(lane.name, message.groupKey)]);

function hold(lane: Lane, message: DueMessage, busyKeys: readonly string[]): Parcel {
  for (const key of busyKeys) lane.busy.add(key);
  lane.inHand += 1;
  return { lane, message, busyKeys };
}

/** Gives a parcel back: recorded, or left in the outbox as it was. */
export function letGo({ lane, busyKeys }: Parcel): void {
  for (const key of busyKeys) lane.busy.delete(key);
  lane.inHand -= 1;
}
