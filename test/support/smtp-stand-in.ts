/**
 * A mail server on a free loopback port that can receive one mail after another:
 * https://www.rfc-editor.org/rfc/rfc5321. No TLS.
 */
import { type AddressInfo, createServer, type Socket } from "node:net";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
}

export interface SmtpStandIn {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** The logins, decoded from AUTH PLAIN. */
  readonly logins: readonly string[];
  /**
   * Sets the answers to commands from now on, by a command's first words. "" means no answer at
   * all.
   */
  refuse(answers: Readonly<Record<string, string>>): void;
  close(): Promise<void>;
}

export async function startSmtpStandIn(): Promise<SmtpStandIn> {
  const mails: ReceivedMail[] = [];
  const logins: string[] = [];
  const sockets = new Set<Socket>();
  let answers: Readonly<Record<string, string>> = {};
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
    serve(socket, {
      mails,
      logins,
      answerTo: (line) => Object.entries(answers).find(([start]) => line.startsWith(start))?.[1],
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    logins,
    refuse: (next) => void (answers = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

interface Session {
  readonly mails: ReceivedMail[];
  readonly logins: string[];
  answerTo(line: string): string | undefined;
}

function serve(socket: Socket, { mails, logins, answerTo }: Session): void {
  let [from, to, data]: [string, string[], string[] | undefined] = ["", [], undefined];
  const say = (text: string) => void socket.write(`${text}\r\n`);
  const command = (line: string): string => {
    if (line.startsWith("EHLO")) return "250-stand-in\r\n250-AUTH PLAIN\r\n250 8BITMIME";
    if (line === "STARTTLS") return "502 5.5.1 not here";
    if (line.startsWith("AUTH PLAIN "))
      logins.push(Buffer.from(line.slice(11), "base64").toString());
    if (line.startsWith("AUTH")) return "235 2.7.0 welcome";
    if (line.startsWith("MAIL FROM:")) [from, to] = [/<(.*?)>/.exec(line)?.[1] ?? "", []];
    if (line.startsWith("RCPT TO:")) to.push(/<(.*?)>/.exec(line)?.[1] ?? "");
    if (line === "DATA") data = [];
    return line === "DATA" ? "354 go on" : line === "QUIT" ? "221 bye" : "250 2.0.0 ok";
  };
  const take = (line: string) => {
    if (data === undefined) {
      const refusal = answerTo(line);
      if (refusal === "") return;
      return say(refusal ?? command(line));
    }
    if (line !== ".") return void data.push(line.replace(/^\./, ""));
    const refusal = answerTo(".");
    if (refusal === undefined) mails.push({ from, to, source: data.join("\r\n") });
    data = undefined;
    return say(refusal ?? "250 2.0.0 queued");
  };
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
  say("220 stand-in ESMTP");
}
