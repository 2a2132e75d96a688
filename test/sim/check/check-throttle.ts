/**
 * Checks the throttle: the messages that go out alone, together with the digests of the interval
 * before, never exceed its limit.
 */
import type { LeftMessage } from "../run/read-state.ts";
import type { Evidence } from "./evidence.ts";
import { createNames, type RuledEpoch } from "./expected.ts";
import { type Alert, groupBy, isPart } from "./outbox.ts";
import type { Rules, Throttle } from "./rules.ts";

interface Throttled {
  readonly message: LeftMessage;
  /** The sink. A route's own throttle counts each of its sinks separately. */
  readonly name: string;
  readonly throttle: Throttle;
}

export function checkThrottle(evidence: Evidence): readonly string[] {
  const { epochs, outbox, isClockSet } = evidence;
  if (isClockSet) return [];
  const throttled = [...outbox.messages.values()].flatMap((message): readonly Throttled[] => {
    const members = outbox.members.get(message.id) ?? [];
    const found = hasChanged(message, members, epochs) ? undefined : throttleOf(members);
    const isSent = message.state !== "dead" || message.firstAttemptAtMs !== null;
    return found === undefined || isPart(message) || !isSent ? [] : [{ message, ...found }];
  });
  return [...groupBy(throttled, ({ name }) => name)].flatMap(([name, own]) =>
    own.flatMap((one) => checkMessage(name, one, own)),
  );
}

/**
 * Returns whether the configuration changed meanwhile. Alerts are sent by the configuration of that
 * moment, but may have waited since another one was active.
 */
function hasChanged(
  { sink, sealedAtMs }: LeftMessage,
  members: readonly Alert[],
  epochs: readonly RuledEpoch[],
): boolean {
  const nameOf = createNames(epochs);
  const named = new Set(members.map(({ event }) => nameOf(event.watch)));
  const ownSinks = ({ watches }: Rules) =>
    [...watches.values()].flatMap(({ id, sinks }) => (named.has(nameOf(id)) ? [sinks] : []));
  const sinceMs = Math.min(...members.map(({ event }) => event.detectedAtMs));
  const active = epochs.filter(
    ({ fromMs, toMs }) => fromMs <= sealedAtMs + 1_000 && toMs >= sinceMs,
  );
  return (
    new Set(
      active.map(({ rules }) =>
        JSON.stringify([rules.root, rules.sinks.get(sink)?.throttle, ownSinks(rules)]),
      ),
    ).size > 1
  );
}

/**
 * Returns the throttle of a message. Undefined while the configuration changes, and if there is
 * none, as for ops alerts.
 */
function throttleOf(alerts: readonly Alert[]): Omit<Throttled, "message"> | undefined {
  if (alerts.some(({ event }) => event.labels["type"] === "daemon")) return undefined;
  const found = new Map<string, Throttle | undefined>();
  for (const { row, places } of alerts)
    for (const { route, rules } of places) {
      const throttle = route?.throttle ?? rules.sinks.get(row.sink)?.throttle;
      const name = `${route?.throttle === undefined ? "the sink" : route.path} at ${row.sink}`;
      found.set(`${name} ${JSON.stringify(throttle)}`, throttle);
    }
  const [[name, throttle] = []] = [...found];
  return found.size !== 1 || throttle === undefined || name === undefined
    ? undefined
    : { name, throttle };
}

function checkMessage(
  name: string,
  { message, throttle }: Throttled,
  all: readonly Throttled[],
): readonly string[] {
  if (isDigest(message)) return [];
  const { sealedAtMs } = message;
  // Alerts of the same moment that exceed the limit may go out as a digest at once.
  const within = all.filter(
    (one) =>
      one.message.sealedAtMs > sealedAtMs - throttle.intervalMs &&
      (one.message.sealedAtMs < sealedAtMs ||
        (one.message.sealedAtMs === sealedAtMs && !isDigest(one.message))),
  );
  return within.length <= throttle.limit
    ? []
    : [`the throttle of ${name} lets ${within.length} messages through: ${message.id}`];
}

const isDigest = ({ groupKey }: LeftMessage): boolean => groupKey.startsWith("digest\n");
