/**
 * Deliveries that wait for a sink that is no longer configured. They are not sent, and nobody would
 * notice without these sentences.
 */
import type { Config } from "../../config/config.ts";
import { errorText } from "../../model/errors.ts";
import type { Log } from "../../model/log.ts";
import type { Outbox, OutboxStats } from "../../model/outbox.ts";

const strandedIn = (
  { sinks }: Pick<Config, "sinks">,
  stats: readonly OutboxStats[],
): readonly OutboxStats[] =>
  stats.filter(({ sink, waiting }) => waiting > 0 && !sinks.some(({ name }) => name === sink));

/** Returns one sentence for each sink that is gone, with the cure. */
export const strandedReasons = (
  config: Pick<Config, "sinks">,
  stats: readonly OutboxStats[],
): readonly string[] =>
  strandedIn(config, stats).map(
    ({ sink, waiting }) =>
      `${sink} is no sink any more, and ${waiting} of its deliveries wait: name one so again, or write \`moved_from: ${sink}\` on the sink that has a new name, and they go out`,
  );

/** Logs stranded deliveries when a configuration becomes active. Never rejects. */
export async function warnOfStranded(
  config: Config,
  deps: { readonly store: Pick<Outbox, "outboxStats">; readonly log: Log },
): Promise<void> {
  try {
    const hint =
      "name a sink so again, or write `moved_from` on the sink that has a new name, and they go out";
    for (const { sink, waiting } of strandedIn(config, await deps.store.outboxStats()))
      deps.log.warn("deliveries wait for a sink that the configuration does not have", {
        sink,
        waiting,
        hint,
      });
  } catch (error) {
    deps.log.warn("the outbox could not be counted", { error: errorText(error) });
  }
}
