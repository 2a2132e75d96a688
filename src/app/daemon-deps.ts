/** What a daemon needs from outside: ports, and how it was started. */
import type { LoadResult } from "../config/load-config.ts";
import type { Clock } from "../model/clock.ts";
import type { Files } from "../model/files.ts";
import type { Hash } from "../model/hash.ts";
import type { Http } from "../model/http.ts";
import type { Log } from "../model/log.ts";
import type { Random } from "../model/random.ts";
import type { Poll } from "../engine/watch-poll.ts";
import type { PollOutcome } from "../engine/poll-outcome.ts";

export interface DaemonDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly hash: Hash;
  readonly http: Http;
  readonly files: Files;
  readonly log: Log;
  readonly version: string;
  /** The console sink's way out. */
  readonly write: (text: string) => void;
  /** One more text that no log line may show. */
  readonly addSecret: (secret: string) => void;
  /** Loads the configuration again, for a reload. */
  readonly load: () => Promise<LoadResult>;
  /** The bundled sandbox, where the configuration asks for it and someone started it. */
  readonly sandboxUrl?: string;
  /** Reload when a file of the configuration changes. */
  readonly watchFiles: boolean;
  /** Told after every poll, for the demo. */
  readonly onPolled?: (poll: Poll, outcome: PollOutcome | undefined, error: unknown) => void;
}
