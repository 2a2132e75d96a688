/**
 * The events by which parts of the daemon notify parts that are built after them. Listeners are
 * registered where the parts are connected.
 */
import type { UpstreamError } from "../../model/upstream.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { Poll } from "../../polling/watch-poll.ts";

/** The events by name, each with its arguments. */
export interface DaemonEventMap {
  /** Events and their deliveries were committed. */
  readonly committed: readonly [];
  /** An escalation may be due sooner than it was. */
  readonly escalationsChanged: readonly [];
  /** Another configuration has become the active one. */
  readonly activated: readonly [];
  /** The state can be written again after it could not be. */
  readonly storeRecovered: readonly [];
  /** The data service accepts requests again after it refused all of them. */
  readonly serviceRecovered: readonly [];
  /** Polls have become faster or slower, because the slow-down factors changed. */
  readonly paceChanged: readonly [];
  /** Other keys, with other quotas, may be active. */
  readonly keysChanged: readonly [];
  /** The service answered a free request that was made with a key. */
  readonly keyAnswered: readonly [key: string];
  /** Another replica has found that the service refuses a key that this replica uses as well. */
  readonly keyRefusedElsewhere: readonly [key: string, error: UpstreamError];
  /** Another replica learned that the service accepts the key again. */
  readonly keyTakenElsewhere: readonly [key: string];
  /** A request is held because the quota is used up. */
  readonly quotaSpent: readonly [];
  /** An attempt at a request ended, successfully or with this error. */
  readonly attemptEnded: readonly [error: UpstreamError | undefined];
  /** A target of this watch does not exist. */
  readonly targetMissing: readonly [watchId: string];
  readonly polled: readonly [poll: Poll, outcome: PollOutcome | undefined, error: unknown];
}

type Listener<Name extends keyof DaemonEventMap> = (...args: DaemonEventMap[Name]) => void;

export interface DaemonEvents {
  on<Name extends keyof DaemonEventMap>(name: Name, listener: Listener<Name>): void;
  /** Calls the current listeners in the order in which they were added. */
  emit<Name extends keyof DaemonEventMap>(name: Name, ...args: DaemonEventMap[Name]): void;
}

export function createDaemonEvents(): DaemonEvents {
  const listeners: { [Name in keyof DaemonEventMap]: Listener<Name>[] } = {
    committed: [],
    escalationsChanged: [],
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
