/** What a daemon needs from outside: ports, and how it was started. */
import type { LoadResult } from "../../config/load/load-config.ts";
import type { Clock } from "../../model/clock.ts";
import type { ExitError } from "../../model/exit-code.ts";
import type { Files } from "../../model/files.ts";
import type { Hash } from "../../model/hash.ts";
import type { Http } from "../../model/http.ts";
import type { Log } from "../../model/log.ts";
import type { Outputs } from "../../model/outputs.ts";
import type { Random } from "../../model/random.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import type { startTemplateWorker } from "../../runtime/threads/template-worker.ts";
import type { startControl } from "../../server/control-socket.ts";
import type { startServer } from "../../server/server.ts";
import type { openState } from "../../state/open-state.ts";

/** Functions that open files and sockets themselves instead of using a port. */
export interface Adapters {
  readonly openStore: typeof openState;
  readonly startControl: typeof startControl;
  readonly startServer: typeof startServer;
  /** Runs templates. The default is a thread. */
  readonly startTemplates?: typeof startTemplateWorker;
  /**
   * Returns unused memory to the system. The default collects the garbage of the whole process,
   * which takes long in a process that simulates thousands of daemons.
   */
  readonly collectGarbage?: () => void;
}

export interface DaemonDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly hash: Hash;
  readonly http: Http;
  readonly files: Files;
  readonly log: Log;
  readonly version: string;
  /** Writes the output of the console sink; see `SinkDeps`. */
  readonly write: (text: string) => void | Promise<void>;
  readonly writesToLog?: boolean;
  /** The outputs of the other sinks. */
  readonly outputs: Outputs;
  /** Registers a text that no log line may show. */
  readonly addSecret: (secret: string) => void;
  /** Loads the configuration again, for a reload. */
  readonly load: () => Promise<LoadResult>;
  /** The URL of the bundled sandbox, if the configuration asks for it and it was started. */
  readonly sandboxUrl?: string;
  /** Whether to reload when a file of the configuration changes. */
  readonly watchFiles: boolean;
  /** Aborted by a stop, even while the start waits for another daemon to end. */
  readonly stopping?: AbortSignal;
  /**
   * Called when the daemon must not continue, because of its configuration or because another
   * daemon has taken its place.
   */
  readonly onRefused?: (error: ExitError) => void;
  /** Called after every poll, for the demo. */
  readonly onPolled?: (poll: Poll, outcome: PollOutcome | undefined, error: unknown) => void;
  /** Replacements for the shipped adapters. A simulation wraps the store and opens no sockets. */
  readonly adapters?: Adapters;
}
