/**
 * Classifies the refusal of a mail server, or a missing answer, and says what an operator can do
 * about it.
 */
import { errorText } from "../../model/errors.ts";
import type { RefusedRecipient } from "../../model/outputs.ts";
import {
  type MissedReceiver,
  SinkError,
  type SinkFailure,
  takenBy,
  TOO_LARGE,
} from "../../model/sink.ts";
import { ownValue } from "../../model/own-value.ts";

/** A failure as nodemailer reports it: https://nodemailer.com/errors */
interface MailFailure {
  readonly code?: unknown;
  /** The server's reply code: https://www.rfc-editor.org/rfc/rfc5321#section-4.2 */
  readonly responseCode?: unknown;
}

const SERVER_HINT = "Check `host`, `port` and `security`: 587 goes with starttls, 465 with tls.";

const RECIPIENTS_HINT = "The server refuses the sender or every recipient: check `from` and `to`.";

/**
 * The meaning of permanent refusals, by nodemailer's code for the refused step: the login, the
 * envelope (sender and recipients), or the text.
 */
const FOR_GOOD: Readonly<Record<string, readonly [kind: SinkFailure, hint: string]>> = {
  EAUTH: ["destination", "Check `user` and `password`: many providers require an app password."],
  ENOAUTH: ["destination", "The server requires a login: set `user` and `password`."],
  EENVELOPE: ["destination", RECIPIENTS_HINT],
  EMESSAGE: ["message", ""],
};

/**
 * Whether a mail is refused because of its size. Servers report this as exceeded storage (552) or
 * as a message that is too big (5.3.4, 5.2.3): https://www.rfc-editor.org/rfc/rfc3463#section-3.4
 */
const isOfSize = (status: number | undefined, text: string): boolean =>
  status === 552 || /\b5\.(?:3\.4|2\.3)\b/.test(text);

/** Classifies a failure. A reply code 4yz, or no answer at all, is transient; 5yz is permanent. */
export function classifyMailFailure(error: unknown): SinkError {
  const { code, responseCode } = error as MailFailure;
  const status = typeof responseCode === "number" ? responseCode : undefined;
  const known = ownValue(FOR_GOOD, String(code));
  const isPassing = status === undefined ? code !== "ENOAUTH" : status < 500;
  const [kind, hint] =
    known === undefined || isPassing
      ? (["transient", status === undefined ? SERVER_HINT : ""] as const)
      : known;
  const fields =
    kind === "message" && isOfSize(status, errorText(error)) ? { fields: TOO_LARGE } : {};
  return new SinkError(kind, `the mail was not accepted: ${errorText(error)}`, status, {
    hint,
    cause: error,
    ...fields,
  });
}

/**
 * Returns the recipients that the server refused permanently, if at least one other recipient has
 * the mail. `asked`: the recipients of this attempt; `taken`: those that had the mail before.
 * @throws SinkError if some recipients may accept the mail later, or if no recipient has it
 */
export function readRefusals(
  refused: readonly RefusedRecipient[],
  asked: readonly string[],
  taken: readonly string[],
): readonly MissedReceiver[] {
  const isRefused = (address: string) => refused.some(({ recipient }) => recipient === address);
  const have = [...taken, ...asked.filter((address) => !isRefused(address))];
  const [first] = refused;
  if (first === undefined) return [];
  const passing = refused.filter(({ status }) => status < 500);
  const said = (passing.length > 0 ? passing : refused)
    .map(({ recipient, error }) => `${recipient}: ${error}`)
    .join("; ");
  if (passing.length > 0)
    throw new SinkError("transient", `the mail was not accepted for ${said}`, first.status, {
      fields: takenBy(have),
    });
  if (have.length === 0)
    throw new SinkError("destination", `the mail was not accepted for ${said}`, first.status, {
      hint: RECIPIENTS_HINT,
    });
  return refused.map(({ recipient, error }) => ({ receiver: recipient, error }));
}
