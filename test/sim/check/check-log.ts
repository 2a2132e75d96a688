/**
 * Checks that the log contains no error of the daemon's own making, and no report of a silent
 * replica unless one was stalled.
 */
import type { Evidence } from "./evidence.ts";

export const checkLog = (evidence: Evidence): readonly string[] => [
  ...errors(evidence),
  ...silences(evidence),
];

const errors = ({ played }: Evidence): readonly string[] =>
  played.logged
    .filter(({ level, message }) => level === "error" && /unexpected|failed$/.test(message))
    .filter(({ fields }) => !isOfServer(fields["error"]))
    .map(({ message, fields }) => `logged: ${message} ${JSON.stringify(fields).slice(0, 300)}`);

/** A stalled replica stays silent until its next timer fires. */
const WAKING_MS = 5_000;

const silences = ({ played: { logged, lives } }: Evidence): readonly string[] =>
  logged
    .filter(({ message }) => message.endsWith("is silent: its sessions are ended"))
    .filter(
      ({ atMs }) =>
        !lives.some(({ stalls }) =>
          stalls.some(({ fromMs, toMs }) => fromMs < atMs && atMs <= toMs + WAKING_MS),
        ),
    )
    .map(
      ({ message, fields }) =>
        `logged: ${message} ${JSON.stringify(fields)}, although none stands still`,
    );

/**
 * Whether an error is an expected result of a cut connection, of a replica that stalled inside a
 * transaction, or of being declared dead.
 */
const isOfServer = (error: unknown): boolean =>
  /^STORE_(?:UNREACHABLE|BUSY|REPLACED)$/.test(
    String((error as { code?: unknown } | undefined)?.code),
  );
