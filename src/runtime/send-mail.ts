/**
 * Sends mail over SMTP with nodemailer, with one connection per mail. nodemailer is loaded for the
 * first mail only, because loading it would slow down every start.
 */
import type { Mail, MailResult, MailServer, RefusedRecipient } from "../model/outputs.ts";

/**
 * The encoding of text and HTML. It keeps every line within the 998 bytes of RFC 5322, whatever the
 * mail contains.
 */
const ENCODING = "quoted-printable";

export async function sendMail(
  server: MailServer,
  mail: Mail,
  signal: AbortSignal,
): Promise<MailResult> {
  const { createTransport } = await import("nodemailer");
  const { host, port, security, login, timeoutMs } = server;
  const transport = createTransport({
    ...{
      host,
      port,
      secure: security === "tls",
      requireTLS: security === "starttls",
      ignoreTLS: security === "none",
    },
    ...(login === undefined ? {} : { auth: { user: login.user, pass: login.password } }),
    ...{
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
    },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  const { from, to, recipients, subject, text, html, id, dateMs, answersId } = mail;
  const sent = transport.sendMail({
    ...{
      from,
      to: [...to],
      subject,
      text,
      html,
      messageId: id,
      date: new Date(dateMs),
      textEncoding: ENCODING,
      encoding: "utf8",
    },
    envelope: { from, to: [...recipients] },
    ...(answersId === undefined ? {} : { inReplyTo: answersId, references: answersId }),
    // These headers prevent automatic replies such as absence notes:
    // https://www.rfc-editor.org/rfc/rfc3834#section-5
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  const info: Refusals = await sent.catch((error: Refusals & Error) => {
    // nodemailer throws if the server refuses every recipient, but the refusals are an answer too.
    if ((error.rejectedErrors ?? []).length === recipients.length) return error;
    throw error;
  });
  return { refused: (info.rejectedErrors ?? []).map(refusalOf) };
}

/**
 * The refused recipients in nodemailer's result or error:
 * https://nodemailer.com/smtp#handling-responses
 */
interface Refusals {
  readonly rejectedErrors?: readonly RejectedError[] | undefined;
}

type RejectedError = Error & {
  readonly recipient?: string | undefined;
  readonly responseCode?: number | undefined;
};

const refusalOf = ({
  recipient = "",
  responseCode = 0,
  message,
}: RejectedError): RefusedRecipient => ({
  recipient,
  status: responseCode,
  error: message,
});
