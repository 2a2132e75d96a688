/**
 * A webhook receiver as a process of its own, started with fork(). Answers 204 and sends the parent
 * its address. On "report" it sends the arrival time of every body by the id of its tweet. Ends
 * with its parent.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Arrival {
  readonly tweetId: string;
  readonly messageId: string;
  /**
   * The arrival on performance.now() + performance.timeOrigin, which two processes of one machine
   * share.
   */
  readonly atMs: number;
}

export type FromReceiver = { readonly port: number } | { readonly arrivals: readonly Arrival[] };

const bodies: { readonly text: string; readonly messageId: string; readonly atMs: number }[] = [];

const server = createServer((request, response) => {
  const atMs = performance.timeOrigin + performance.now();
  let text = "";
  request.setEncoding("utf8").on("data", (part: string) => (text += part));
  request.on("end", () => {
    bodies.push({ text, messageId: String(request.headers["webhook-id"]), atMs });
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => sendToParent({ port: (server.address() as AddressInfo).port }));
process.on("message", () =>
  sendToParent({
    arrivals: bodies.splice(0).map(({ text, ...rest }) => ({ tweetId: tweetIdOf(text), ...rest })),
  }),
);
process.on("disconnect", () => process.exit(0));

function tweetIdOf(text: string): string {
  const body = JSON.parse(text) as { readonly data: { readonly tweet: { readonly id: string } } };
  return body.data.tweet.id;
}

function sendToParent(message: FromReceiver): void {
  process.send?.(message);
}
