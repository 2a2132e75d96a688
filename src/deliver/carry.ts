/** Takes one sealed parcel through pace, send and record, and draws the consequences for its sink. Owns no loop and no timer. */
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { DeliveryResult } from "../model/outbox.ts";
import type { Random } from "../model/random.ts";
import type { AttemptLog } from "./attempt-log.ts";
import type { Breaker } from "./breaker.ts";
import type { Delays } from "./delays.ts";
import { judge } from "./judge.ts";
import { turnAway, type Lane, type Parcel } from "./lane.ts";
import type { MessageLog } from "./message-log.ts";
import { freeAttempt } from "./pace.ts";
import { letGo } from "./seal.ts";
import { isUnsent, type Attempt } from "./send.ts";
import type { Stage } from "./stage.ts";

export interface CarryDeps {
  readonly lanes: readonly Lane[];
  readonly pace: Stage<Parcel, boolean>;
  readonly send: Stage<Parcel, Attempt>;
  readonly record: Stage<DeliveryResult, void>;
  readonly breaker: Breaker;
  readonly delays: Delays;
  readonly attemptLog: AttemptLog;
  readonly messageLog: MessageLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  giveUpExpired(lane: Lane): Promise<void>;
  /** Messages were given up, and that is stored. */
  onDead(): void;
}

type Ended = Exclude<Attempt, { kind: "cut" }>;

/** Resolves when the parcel's result is durable, or when it was given back unsent. Never rejects. */
export function createCarrier(deps: CarryDeps): (parcel: Parcel) => Promise<void> {
  const { lanes, pace, send, record, breaker, delays } = deps;

  const carry = async (parcel: Parcel): Promise<void> => {
    if (await pace.run(parcel)) {
      const attempt = await send.run(parcel);
      if (attempt.kind !== "cut") await settle(parcel, attempt);
      else freeAttempt(parcel);
    }
    letGo(parcel);
  };
  const settle = async (parcel: Parcel, attempt: Ended) => {
    const { lane } = parcel;
    if (attempt.kind === "failed") deps.meter.count("chirpwatch_sink_errors_total", { sink: lane.name, class: attempt.error.kind });
    // The way closes before the next parcel may take it, and what the breaker holds back keeps its place in the queue.
    const stored = isOfSink(attempt) ? breaker.recordFailure(parcel, attempt.error) : undefined;
    const { result, pauseMs } = judge(attempt, lane.health.breaker, deps.random);
    if (pauseMs !== undefined) for (const paused of alsoPaused(lane, attempt)) pause(paused, deps.clock.monotonic() + pauseMs);
    freeAttempt(parcel);
    if (attempt.kind === "failed" && result.kind !== "sent") report(parcel, attempt, result);
    await record.run(result);
    await stored;
    delays.settled(parcel, result);
    if (result.kind === "dead") deps.onDead();
    deps.messageLog.settled(parcel, result);
    if (hasAnswered(attempt)) await breaker.recordSuccess(lane);
    if (lane.health.breaker === "open") await deps.giveUpExpired(lane).catch(onNotGivenUp(lane));
  };
  const alsoPaused = (lane: Lane, attempt: Attempt): readonly Lane[] => {
    const isGlobal = attempt.kind === "failed" && attempt.error.fields["global"] === true;
    return isGlobal ? lanes.filter((other) => other.type === lane.type) : [lane];
  };
  const onNotGivenUp = (lane: Lane) => (error: unknown) =>
    deps.log.error("messages past retry_for could not be given up", { sink: lane.name, error: errorText(error) });
  const pause = (lane: Lane, untilMs: number) => {
    lane.pausedUntilMs = Math.max(lane.pausedUntilMs, untilMs);
    turnAway(lane);
  };
  const report = ({ lane, message }: Parcel, { error }: Ended & { kind: "failed" }, { kind }: DeliveryResult) => {
    const what = kind === "dead" ? "dead" : error.kind === "rate_limited" ? "limited" : "retried";
    deps.attemptLog.failed(lane.name, what, { messageId: message.id, error: error.message });
  };

  return carry;
}

/** The failure speaks of the sink: another message would have fared the same. */
const isOfSink = (attempt: Ended): attempt is Ended & { kind: "failed" } =>
  attempt.kind === "failed" && (attempt.error.kind === "transient" || attempt.error.kind === "destination");

/** It took the message, or refused it for its content. */
const hasAnswered = (attempt: Ended): boolean => attempt.kind === "taken" || (attempt.error.kind === "message" && !isUnsent(attempt.error));
