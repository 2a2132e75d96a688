/**
 * Ways out of this machine's process other than HTTP, as one port for the sinks. Implemented in
 * runtime/.
 */

/** Whole lines for the end of a file. */
export interface AppendRequest {
  /**
   * Absolute. The file and its folder are created when they are missing, readable by this user
   * only.
   */
  readonly path: string;
  /** Ends in a newline. */
  readonly text: string;
  /**
   * The file is rotated before it would grow beyond this many bytes: `path` becomes `path.1`,
   * `path.1` becomes `path.2`.
   */
  readonly maxBytes: number;
  /** Rotated files that are kept. */
  readonly keep: number;
}

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /**
   * Encrypted after a greeting, from the first byte on, or not at all. The first two are never
   * given up.
   */
  readonly security: "starttls" | "tls" | "none";
  readonly login?: { readonly user: string; readonly password: string };
  /** Of a whole attempt. */
  readonly timeoutMs: number;
}

export interface Mail {
  /** Message-ID, with its angle brackets. */
  readonly id: string;
  /** The Message-ID of the mail that this one answers. */
  readonly answersId?: string;
  readonly dateMs: number;
  readonly from: string;
  /** As the mail names them. */
  readonly to: readonly string[];
  /** Those of them whom it is handed over for. */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A recipient that the server refused. */
export interface RefusedRecipient {
  readonly recipient: string;
  /** Its answer: 4yz may pass, 5yz does not. */
  readonly status: number;
  readonly error: string;
}

export interface MailResult {
  /** Those that the server refused: some, while it took the mail for others, or all. */
  readonly refused: readonly RefusedRecipient[];
}

/** A program of this machine. Its environment is empty, its folder the root. */
export interface ProgramRequest {
  /** Absolute. */
  readonly path: string;
  readonly args: readonly string[];
  readonly stdin: string;
  readonly timeoutMs: number;
}

export interface ProgramResult {
  /** Exit code, the name of a signal, or why it was ended. */
  readonly end: number | string;
  /** The beginning of what it printed. */
  readonly output: string;
  /** The same of its standard output alone. */
  readonly stdout: string;
}

export interface Outputs {
  /**
   * On the disk when it returns. A line that an earlier process left unfinished is ended first.
   * @throws an Error with `code` EACCES, ENOSPC … as Node does.
   */
  append(request: AppendRequest): Promise<void>;
  /**
   * One attempt. @throws an Error with `code` as nodemailer names it, and the server's
   * `responseCode` where it refused
   */
  mail(server: MailServer, mail: Mail, signal: AbortSignal): Promise<MailResult>;
  /**
   * One run, whose whole process group has ended when it returns. @throws an Error with `code` as
   * Node does, or ENOTALLOWED, when it was not started
   */
  run(request: ProgramRequest, signal: AbortSignal): Promise<ProgramResult>;
}

/** Of CHIRPWATCH_ALLOW_EXEC: the paths of programs that may be started, separated by colons. */
export const allowedPrograms = (list: string | undefined): ReadonlySet<string> =>
  new Set((list ?? "").split(":").filter((path) => path !== ""));
