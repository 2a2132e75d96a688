/**
 * The port for outputs of this process other than HTTP, which sinks use: files, mail and programs.
 * runtime/ implements it.
 */

/** Lines to be appended to a file. */
export interface AppendRequest {
  /**
   * The absolute path. The file and its folder are created if they are missing, readable only by
   * this user.
   */
  readonly path: string;
  /** The text, which ends with a newline. */
  readonly text: string;
  /**
   * The file is rotated before it would become larger than this: `path` becomes `path.1`, `path.1`
   * becomes `path.2`.
   */
  readonly maxBytes: number;
  /** The number of rotated files that are kept. */
  readonly keep: number;
}

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /**
   * How the connection is encrypted: after a greeting, from the first byte on, or not at all. The
   * first two never fall back to an unencrypted connection.
   */
  readonly security: "starttls" | "tls" | "none";
  readonly login?: { readonly user: string; readonly password: string };
  /** The timeout of a whole attempt. */
  readonly timeoutMs: number;
}

export interface Mail {
  /** The Message-ID, with its angle brackets. */
  readonly id: string;
  /** The Message-ID of the mail to which this mail is a reply. */
  readonly answersId?: string | undefined;
  readonly dateMs: number;
  readonly from: string;
  /** The addresses that the mail names. */
  readonly to: readonly string[];
  /** The addresses in `to` to which this attempt delivers the mail. */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A recipient that the server refused. */
export interface RefusedRecipient {
  readonly recipient: string;
  /** The SMTP status with which the server refused: 4yz may pass, 5yz does not. */
  readonly status: number;
  readonly error: string;
}

export interface MailResult {
  /**
   * The recipients that the server refused: all of them, or some while it accepted the mail for
   * others.
   */
  readonly refused: readonly RefusedRecipient[];
}

/** A program on this machine. Its environment is empty, and its working folder is the root. */
export interface ProgramRequest {
  /** The absolute path. */
  readonly path: string;
  readonly args: readonly string[];
  readonly stdin: string;
  readonly timeoutMs: number;
}

export interface ProgramResult {
  /** The exit code, the name of a signal, or why it was ended. */
  readonly end: number | string;
  /** The beginning of the program's output. */
  readonly output: string;
  /** The beginning of its standard output alone. */
  readonly stdout: string;
}

export interface Outputs {
  /**
   * Appends lines to a file. When the promise resolves, they are on the disk. A line that an
   * earlier process left unfinished gets its line break first. @throws an Error with `code` EACCES,
   * ENOSPC … as Node does
   */
  append(request: AppendRequest): Promise<void>;
  /**
   * Makes one attempt.
   * @throws an Error with `code` as nodemailer names it, and the server's `responseCode` if it
   * refused
   */
  mail(server: MailServer, mail: Mail, signal: AbortSignal): Promise<MailResult>;
  /**
   * Runs a program once. Its whole process group has ended when this returns.
   * @throws an Error with `code` as Node does, or ENOTALLOWED, if it was not started
   */
  run(request: ProgramRequest, signal: AbortSignal): Promise<ProgramResult>;
}

/**
 * Returns the paths of programs that may be started, from CHIRPWATCH_ALLOW_EXEC, where they are
 * separated by colons.
 */
export const allowedPrograms = (list: string | undefined): ReadonlySet<string> =>
  new Set((list ?? "").split(":").filter((path) => path !== ""));
