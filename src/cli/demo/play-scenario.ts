/**
 * Plays a scenario: changes to the sandbox's world, repeated again and again, so that something
 * happens every few seconds.
 */
import type { Cancel, Clock } from "../../model/clock.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";

/**
 * A request to the sandbox's control API. In its texts, `{n}` is replaced by the number of the
 * turn, and `{last}` by the id of the tweet that the track posted before.
 */
interface ScenarioOrder {
  /** The path of the request, without `/_sandbox/`. */
  readonly post: string;
  readonly body: JsonObject;
}

/**
 * Turns that are played one after the other, every `every_ms`. After the last one the first is
 * played again.
 */
export interface ScenarioTrack {
  readonly every_ms: number;
  readonly turns: readonly (readonly ScenarioOrder[])[];
}

/** Ends a running scenario. */
export interface Scenario {
  /** Stops the scenario immediately. */
  readonly stop: Cancel;
  /** Plays the next turn of every track at once, and stops. */
  readonly finish: () => void;
}

export function playScenario(
  tracks: readonly ScenarioTrack[],
  sandbox: Pick<Sandbox, "order">,
  clock: Clock,
): Scenario {
  const played = tracks.map((track) => playTrack(track, sandbox, clock));
  return {
    stop() {
      for (const { stop } of played) stop();
    },
    finish() {
      for (const { finish } of played) finish();
    },
  };
}

function playTrack(
  { every_ms: everyMs, turns }: ScenarioTrack,
  sandbox: Pick<Sandbox, "order">,
  clock: Clock,
): Scenario {
  let turn = 0;
  let last = "";
  let cancel: Cancel | undefined;
  const next = (): void => {
    for (const { post, body } of turns[turn % turns.length] ?? [])
      last = idOf(sandbox.order(post, filled(body, turn + 1, last)));
    turn += 1;
    cancel = clock.after(everyMs, next);
  };
  cancel = clock.after(everyMs, next);
  return {
    stop: () => cancel?.(),
    finish() {
      cancel?.();
      next();
      cancel?.();
    },
  };
}

const filled = (body: JsonObject, turn: number, last: string): JsonObject =>
  JSON.parse(
    JSON.stringify(body).replaceAll("{n}", String(turn)).replaceAll("{last}", last),
  ) as JsonObject;

/** Returns the id of the tweet that an order created. Empty for orders that create none. */
function idOf(answer: Json): string {
  const { ids = [] } = (answer ?? {}) as { readonly ids?: readonly string[] };
  return ids[0] ?? "";
}
