/**
 * A stand-in for a sentiment service: `node sentiment.mjs [PORT]`. It counts words; put a model in
 * its place.
 */
import { createServer } from "node:http";

const GOOD = new Set(["good", "great", "love", "thanks", "happy", "best"]);
const BAD = new Set(["bad", "broken", "hate", "refund", "awful", "worst"]);

function rate(text) {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  const score =
    words.filter((word) => GOOD.has(word)).length - words.filter((word) => BAD.has(word)).length;
  return { score, sentiment: score > 0 ? "positive" : score < 0 ? "negative" : "neutral" };
}

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { score, sentiment } = rate(JSON.parse(body).data.tweet?.full_text ?? "");
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ labels: { sentiment }, fields: { score } }));
});

server.listen(Number(process.argv[2] ?? 8080), "127.0.0.1", () =>
  process.stdout.write(`http://127.0.0.1:${server.address().port}/\n`),
);
