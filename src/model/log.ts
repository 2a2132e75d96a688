/**
 * Logging as a port. Messages are fixed sentences; whatever varies goes into the fields. The
 * implementation redacts secrets.
 */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  child(fields: LogFields): Log;
}
