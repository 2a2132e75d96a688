/** The log holds no error of the daemon's own making. */
import type { Evidence } from "./evidence.ts";

export const checkLog = ({ played }: Evidence): readonly string[] =>
  played.logged
    .filter(({ level, message }) => level === "error" && /unexpected|failed$/.test(message))
    .map(({ message, fields }) => `logged: ${message} ${JSON.stringify(fields).slice(0, 300)}`);
