/**
 * Reports deliveries to sinks that are no longer configured. Such deliveries wait and are never
 * sent, which would go unnoticed without these reports.
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
      `${sink} is no longer a sink, but ${waiting} of its deliveries are waiting: define a sink with this name again, or write \`moved_from: ${sink}\` on the renamed sink, and they are sent`,
  );

/** Logs stranded deliveries when a configuration becomes active. Never rejects. */
export async function warnOfStranded(
  config: Config,
  deps: { readonly store: Pick<Outbox, "outboxStats">; readonly log: Log },
): Promise<void> {
  try {
    const hint =
      "define a sink with this name again, or write `moved_from` on the renamed sink, and they are sent";
    for (const { sink, waiting } of strandedIn(config, await deps.store.outboxStats()))
      deps.log.warn("deliveries are waiting for a sink that is not configured", {
        sink,
        waiting,
        hint,
      });
  } catch (error) {
    deps.log.warn("the outbox could not be counted", { error: errorText(error) });
  }
}
