/**
 * Implements the Outputs port in a simulation: a disk for file sinks, a mail server for email sinks
 * and a program for exec sinks, with a script of faults.
 */
import { basename } from "node:path";
import { type Clock, sleep } from "../../../src/model/clock.ts";
import type { Outputs } from "../../../src/model/outputs.ts";
import type { SinkTroubleKind } from "../draw/scenario.ts";
import type { Attempt, Wire } from "./sinks.ts";

/** A message as it arrives at a receiver. */
export type Arrival = Pick<Attempt, "sink" | "life" | "text" | "body" | "path"> & {
  readonly wire: Wire;
};

export interface OutputsOptions {
  readonly clock: Clock;
  /** Records the arrival, and decides what is wrong with the sink. */
  arrive(arrival: Arrival, headers?: Attempt["headers"]): Attempt;
  /** Records that the outcome is final. */
  settle(attempt: Attempt): void;
}

const failure = (code: string, responseCode?: number): Error =>
  Object.assign(new Error(`simulated ${code}`), {
    code,
    ...(responseCode === undefined ? {} : { responseCode }),
  });

const DISK_ERRORS: Readonly<Partial<Record<SinkTroubleKind, string>>> = {
  failing: "EIO",
  unavailable: "ENOSPC",
  unreachable: "ESTALE",
  unauthorised: "EACCES",
  forbidden: "EROFS",
  missing: "EISDIR",
  gone: "ENOTDIR",
};

const MAIL_ERRORS: Readonly<
  Partial<Record<SinkTroubleKind, readonly [code: string, responseCode?: number]>>
> = {
  "rate-limited": ["EENVELOPE", 450],
  "rate-limited-globally": ["EENVELOPE", 421],
  "rate-limited-for-ever": ["EMESSAGE", 452],
  failing: ["EMESSAGE", 451],
  unavailable: ["ECONNECTION"],
  unreachable: ["ESOCKET"],
  unresolved: ["EDNS"],
  unauthorised: ["EAUTH", 535],
  forbidden: ["EENVELOPE", 550],
  missing: ["EENVELOPE", 550],
  gone: ["EENVELOPE", 551],
  refusing: ["EMESSAGE", 554],
};

const EXITS: Readonly<Partial<Record<SinkTroubleKind, number | string>>> = {
  "rate-limited": 75,
  "rate-limited-globally": 75,
  "rate-limited-for-ever": 75,
  failing: 1,
  unavailable: 69,
  unresolved: 68,
  unauthorised: 77,
  forbidden: 77,
  missing: 127,
  gone: 78,
  moved: 78,
  refusing: 65,
  hang: "timeout",
  "lost-by-timeout": "timeout",
  "lost-by-reset": "SIGKILL",
};

export function createSimOutputs({ clock, arrive, settle }: OutputsOptions, life: number): Outputs {
  const answer = (attempt: Attempt, status: number): void => {
    attempt.status = status;
    attempt.answeredAtMs = clock.now();
  };
  return {
    async append({ path, text }) {
      await sleep(clock, 5);
      const attempt = arrive({
        sink: basename(path, ".ndjson"),
        wire: "file",
        life,
        text,
        body: text,
        path,
      });
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
    async run({ args, stdin, timeoutMs }, signal) {
      await sleep(clock, 20, signal);
      const attempt = arrive({
        sink: args[0] ?? "",
        wire: "exec",
        life,
        text: stdin,
        body: stdin.trimEnd(),
        path: "",
      });
      const kind = attempt.trouble;
      try {
        if (kind === "unreachable") throw failure("EAGAIN");
        const end = signal.aborted ? "aborted" : kind === undefined ? 0 : (EXITS[kind] ?? 0);
        attempt.accepted = end === 0 || kind?.startsWith("lost-by-") === true;
        if (kind === "slow" || end === "timeout")
          await sleep(clock, kind === "slow" ? 9_000 : timeoutMs, signal);
        if (typeof end === "number") answer(attempt, end === 0 ? 200 : 500);
        return { end, output: "simulated", stdout: "" };
      } finally {
        settle(attempt);
      }
    },
    async mail({ timeoutMs }, mail, signal) {
      await sleep(clock, 50, signal);
      const sink = mail.to[0]?.split("@")[0] ?? "";
      const headers = { "message-id": mail.id, "in-reply-to": mail.answersId ?? "" };
      const attempt = arrive(
        { sink, wire: "email", life, text: JSON.stringify(mail), body: mail, path: "" },
        headers,
      );
      const kind = attempt.trouble;
      try {
        if (kind === "slow" || kind === "hang")
          await sleep(clock, kind === "slow" ? 9_000 : timeoutMs, signal);
        if (kind === "hang" || signal.aborted) throw failure("EABORT");
        const error = kind === undefined ? undefined : MAIL_ERRORS[kind];
        attempt.accepted = error === undefined;
        if (kind?.startsWith("lost-by-")) throw failure("ECONNECTION");
        answer(attempt, error === undefined ? 200 : 500);
        if (error !== undefined) throw failure(...error);
        return { refused: [] };
      } finally {
        settle(attempt);
      }
    },
  };
}
