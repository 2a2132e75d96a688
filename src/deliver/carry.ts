/** Takes one sealed parcel through pace, send and record, and draws the consequences for its sink. Owns no loop and no timer. */
import { errorText } from "../model/errors.ts";
import type { Random } from "../model/random.ts";
import { createBreaker, type BreakerDeps } from "./breaker.ts";
import type { Delays } from "./delays.ts";
import { buryExpired, type ExpireDeps } from "./expire.ts";
import { judge, type Judgement } from "./judge.ts";
import { turnAway, type Lane, type Parcel } from "./lane.ts";
import { freeAttempt } from "./pace.ts";
import { letGo } from "./seal.ts";
import type { Attempt } from "./send.ts";
import type { Stage } from "./stage.ts";
import type { DeliveryResult } from "../model/outbox.ts";

export interface CarryDeps {
  readonly lanes: readonly Lane[];
  readonly pace: Stage<Parcel, boolean>;
  readonly send: Stage<Parcel, Attempt>;
  readonly record: Stage<DeliveryResult, void>;
  readonly delays: Delays;
}

/** Resolves when the parcel's result is durable, or when it was given back unsent. Never rejects. */
export function createCarrier(deps: CarryDeps & BreakerDeps & ExpireDeps & { readonly random: Random }): (parcel: Parcel) => Promise<void> {
  const { lanes, pace, send, record, delays } = deps;
  const breaker = createBreaker(deps);

  const carry = async (parcel: Parcel): Promise<void> => {
    if (await pace.run(parcel)) {
      const attempt = await send.run(parcel);
      if (attempt.kind !== "cut") await settle(parcel, attempt);
      else freeAttempt(parcel);
    }
    letGo(parcel);
  };
  const settle = async (parcel: Parcel, attempt: Exclude<Attempt, { kind: "cut" }>) => {
    const { lane } = parcel;
    const { result, way } = judge(attempt, deps.random);
    // The way closes before the next parcel may take it.
    if (typeof way === "object") for (const paused of alsoPaused(lane, attempt)) pause(paused, attempt.atMs + way.pauseMs);
    const blocked = way === "destination" && attempt.kind === "failed" ? breaker.block(lane, attempt.error) : undefined;
    freeAttempt(parcel);
    if (result.kind === "dead" || result.kind === "retry") report(parcel, result);
    await record.run(result);
    await blocked;
    delays.settled(parcel, result);
    await mind(lane, attempt, way);
  };
  const mind = async (lane: Lane, attempt: Attempt, way: Judgement["way"]) => {
    if (way === "taken" || way === "refused") await breaker.reached(lane);
    else if (attempt.kind === "failed" && way !== "destination") await breaker.stumble(lane, attempt.error);
    if (lane.health.breaker === "open") await buryExpired(deps, lane).catch(onNotBuried(lane));
  };
  const alsoPaused = (lane: Lane, attempt: Attempt): readonly Lane[] => {
    const isGlobal = attempt.kind === "failed" && attempt.error.fields["global"] === true;
    return isGlobal ? lanes.filter((other) => other.type === lane.type) : [lane];
  };
  const onNotBuried = (lane: Lane) => (error: unknown) =>
    deps.log.error("messages past retry_for could not be given up", { sink: lane.name, error: errorText(error) });
  const pause = (lane: Lane, untilMs: number) => {
    lane.pausedUntilMs = Math.max(lane.pausedUntilMs, untilMs);
    turnAway(lane);
  };
  const report = ({ lane, message }: Parcel, result: Exclude<Judgement["result"], { kind: "sent" }>) => {
    const fields = { sink: lane.name, messageId: message.id, attempt: message.attempts + 1, error: result.error };
    if (result.kind === "dead") deps.log.error("a message was given up", fields);
    else deps.log.warn("a delivery failed and will be repeated", { ...fields, nextAttemptAtMs: result.nextAttemptAtMs });
  };

  return carry;
}
