/** Waits until a daemon under a virtual clock receives clicks. */
import type { InnerDaemon } from "./inner-daemon.ts";
import { until } from "./until.ts";

/**
 * Resolves once a chat is connected. The socket opens in real time, so the clock moves slowly: if
 * it ran through minutes meanwhile, the daemon would give up one socket after the other.
 */
export const untilListening = ({ clock, logged }: InnerDaemon): Promise<boolean> =>
  until(
    "a connection to a chat",
    async () => {
      await clock.advance(20);
      return logged.some(({ message }) => message.startsWith("listening for"));
    },
    () => JSON.stringify(logged.slice(-8)),
  );
