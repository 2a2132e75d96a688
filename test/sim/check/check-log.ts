/** The log holds no error of the daemon's own making. */
import type { Evidence } from "./evidence.ts";

export const checkLog = ({ played }: Evidence): readonly string[] =>
  played.logged
    .filter(({ level, message }) => level === "error" && /unexpected|failed$/.test(message))
    .filter(({ fields }) => !isOfServer(fields["error"]))
    .map(({ message, fields }) => `logged: ${message} ${JSON.stringify(fields).slice(0, 300)}`);

/** What follows from a connection that was cut, from another replica that stood still in a transaction, or from being declared dead. */
const isOfServer = (error: unknown): boolean =>
  /^STORE_(?:UNREACHABLE|BUSY|REPLACED)$/.test(String((error as { code?: unknown } | undefined)?.code));
