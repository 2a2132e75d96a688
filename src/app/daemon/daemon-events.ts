/**
 * What parts of the daemon announce to parts that are built after them. Who listens is written
 * where the parts are connected.
 */
import type { UpstreamError } from "../../model/upstream.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { Poll } from "../../polling/watch-poll.ts";

/** By name, with what comes along. */
export interface DaemonEventMap {
  /** Events and their deliveries are in the state. */
  readonly committed: readonly [];
  /** Another configuration is the active one. */
  readonly activated: readonly [];
  /** The state could not be written, and can again. */
  readonly storeRecovered: readonly [];
  /** The data service takes requests again after it refused all. */
  readonly serviceRecovered: readonly [];
  /** Polls go faster or slower than a moment ago. */
  readonly paceChanged: readonly [];
  /** Other keys may be active, which have other quotas. */
  readonly keysChanged: readonly [];
  /** The service answered a question about a key that costs nothing. */
  readonly keyAnswered: readonly [key: string];
  /** Another replica learned that the service refuses a key that this one has too. */
  readonly keyRefusedElsewhere: readonly [key: string, error: UpstreamError];
  /** Another replica learned that the service takes it again. */
  readonly keyTakenElsewhere: readonly [key: string];
  /** A request is held because the quota is spent. */
  readonly quotaSpent: readonly [];
  /** One attempt at a request ended, well or with this error. */
  readonly attemptEnded: readonly [error: UpstreamError | undefined];
  /** A target of this watch cannot be found at all. */
  readonly targetMissing: readonly [watchId: string];
  readonly polled: readonly [poll: Poll, outcome: PollOutcome | undefined, error: unknown];
}

type Listener<Name extends keyof DaemonEventMap> = (...args: DaemonEventMap[Name]) => void;

export interface DaemonEvents {
  on<Name extends keyof DaemonEventMap>(name: Name, listener: Listener<Name>): void;
  /** Calls those that listen by now, in the order in which they began to. */
  emit<Name extends keyof DaemonEventMap>(name: Name, ...args: DaemonEventMap[Name]): void;
}

export function createDaemonEvents(): DaemonEvents {
  const listeners: { [Name in keyof DaemonEventMap]: Listener<Name>[] } = {
    committed: [],
    activated: [],
    storeRecovered: [],
    serviceRecovered: [],
    paceChanged: [],
    keysChanged: [],
    keyAnswered: [],
    keyRefusedElsewhere: [],
    keyTakenElsewhere: [],
    quotaSpent: [],
    attemptEnded: [],
    targetMissing: [],
    polled: [],
  };
  return {
    on: (name, listener) => void listeners[name].push(listener),
    emit(name, ...args) {
      for (const listener of listeners[name]) listener(...args);
    },
  };
}
