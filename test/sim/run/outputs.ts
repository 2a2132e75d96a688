/** What stands behind the Outputs port in a simulation: a disk for the file sinks, with a script of what goes wrong when. */
import { basename } from "node:path";
import { type Clock, sleep } from "../../../src/model/clock.ts";
import type { Outputs } from "../../../src/model/outputs.ts";
import type { SinkTroubleKind } from "../draw/scenario.ts";
import type { Attempt, Wire } from "./sinks.ts";

/** What arrives at a receiver. */
export type Arrival = Pick<Attempt, "sink" | "life" | "text" | "body" | "path"> & { readonly wire: Wire };

export interface OutputsOptions {
  readonly clock: Clock;
  /** Records it, and says what is wrong with the sink. */
  arrive(arrival: Arrival): Attempt;
  /** Its outcome is settled. */
  settle(attempt: Attempt): void;
}

const failure = (code: string): Error => Object.assign(new Error(`simulated ${code}`), { code });

const DISK_ERRORS: Readonly<Partial<Record<SinkTroubleKind, string>>> = {
  failing: "EIO",
  unavailable: "ENOSPC",
  unreachable: "ESTALE",
  unauthorised: "EACCES",
  forbidden: "EROFS",
  missing: "EISDIR",
  gone: "ENOTDIR",
};

export function createSimOutputs({ clock, arrive, settle }: OutputsOptions, life: number): Outputs {
  const answer = (attempt: Attempt, status: number): void => {
    attempt.status = status;
    attempt.answeredAtMs = clock.now();
  };
  return {
    async append({ path, text }) {
      await sleep(clock, 5);
      const attempt = arrive({ sink: basename(path, ".ndjson"), wire: "file", life, text, body: text, path });
      const kind = attempt.trouble;
      try {
        if (kind === "slow" || kind === "hang") await sleep(clock, 9_000);
        const code = kind === undefined ? undefined : DISK_ERRORS[kind];
        attempt.accepted = code === undefined;
        if (kind?.startsWith("lost-by-")) throw failure("EIO");
        answer(attempt, code === undefined ? 200 : 500);
        if (code !== undefined) throw failure(code);
      } finally {
        settle(attempt);
      }
    },
  };
}
