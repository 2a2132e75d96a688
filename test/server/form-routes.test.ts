/** Tests silences on the page: added and ended with plain forms, as a browser sends them. */
import { request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../../src/server/server.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import {
  createDaemonStandIn,
  NOW_MS,
  silenceView,
  silentLog,
  statusView,
} from "./daemon-stand-in.ts";

async function start(token?: string) {
  const daemon = createDaemonStandIn();
  const clock = createVirtualClock(NOW_MS);
  const own = token === undefined ? {} : { token };
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    clock,
    log: silentLog,
    ...daemon,
    ...own,
  });
  onTestFinished(async () => {
    const closing = server.close();
    await clock.advance(2_000);
    await closing;
  });
  return { url: server.url, daemon };
}

/** Sends a form over node:http, because fetch sets Origin itself. */
function submit(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; location: string | undefined; text: string }>(
    (resolve, reject) => {
      const type = { "content-type": "application/x-www-form-urlencoded" };
      const call = request(
        url,
        {
          method: "POST",
          headers: { ...type, origin: new URL(url).origin, ...headers },
          agent: false,
        },
        async (answer) => {
          const text = Buffer.concat(await answer.toArray()).toString("utf8");
          resolve({ status: answer.statusCode ?? 0, location: answer.headers.location, text });
        },
      );
      call.on("error", reject);
      call.end(new URLSearchParams(fields).toString());
    },
  );
}

const FIELDS = {
  matchers: 'watch="brand"\r\n\r\n team="comms" ',
  duration: "2h",
  comment: "launch",
  author: "alice",
};

describe("a silence on the page", () => {
  it("is added as it was written, a matcher a line, and the page is shown again", async () => {
    const { url, daemon } = await start();
    daemon.added = { ok: true, silence: { ...silenceView(), matching_24h: 4 } };
    expect(await submit(`${url}/silences`, FIELDS)).toMatchObject({
      ...{ status: 303, location: ".?done=silence_added" },
    });
    const { duration, comment, author } = FIELDS;
    expect(daemon.asked).toEqual([
      "silences",
      `silence ${JSON.stringify({ duration, comment, author, matchers: ['watch="brand"', 'team="comms"'] })}`,
    ]);
  });

  it("that cannot be added comes back with what is wrong and what was written, all of it as text", async () => {
    const { url, daemon } = await start();
    daemon.added = { ok: false, errors: ['no <label> "tem"', "the comment is missing"] };
    const { status, text } = await submit(`${url}/silences`, {
      ...FIELDS,
      matchers: '</textarea><script>alert("1")</script>',
      comment: "",
    });
    expect(status).toBe(400);
    expect(text).toContain(
      "<li>no &lt;label&gt; &quot;tem&quot;</li><li>the comment is missing</li>",
    );
    expect(text).toContain("&lt;/textarea&gt;&lt;script&gt;");
    expect(text).toContain('name="duration" required value="2h"');
    expect(text).not.toContain("<script>");
  });

  it("ends with the button beside it", async () => {
    const { url, daemon } = await start();
    daemon.status = statusView({ silences: [silenceView()] });
    const page = await (await fetch(url)).text();
    expect(page).toContain(
      '<form method="post" action="silences/1/expire"><button type="submit" aria-label="End silence 1">',
    );
    expect(await submit(`${url}/silences/1/expire`, {})).toMatchObject({
      status: 303,
      location: "../../?done=silence_ended",
    });
    expect(daemon.asked).toContain("expire 1 by page");
    expect(await submit(`${url}/silences/9/expire`, {})).toMatchObject({
      status: 404,
      text: expect.stringContaining("there is no silence &quot;9&quot;") as string,
    });
  });

  it("is changed by nobody without the token, and by no page of another site", async () => {
    const { url, daemon } = await start("s3cret");
    const basic = { authorization: `Basic ${Buffer.from("me:s3cret").toString("base64")}` };
    expect((await submit(`${url}/silences`, FIELDS)).status).toBe(401);
    for (const foreign of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ]) {
      expect((await submit(`${url}/silences`, FIELDS, { ...basic, ...foreign })).status).toBe(403);
      expect((await submit(`${url}/silences/1/expire`, {}, { ...basic, ...foreign })).status).toBe(
        403,
      );
    }
    expect(daemon.asked).toEqual([]);
    expect((await submit(`${url}/silences`, FIELDS, basic)).status).not.toBe(403);
  });

  it("has a form of its own for a browser without scripts, and lets browsers name their origin", async () => {
    const { url } = await start();
    const answer = await fetch(`${url}/silences`);
    expect(answer.headers.get("content-security-policy")).toContain("form-action 'self'");
    expect(answer.headers.get("referrer-policy")).toBe("same-origin");
    expect(await answer.text()).toContain('<form method="post" action="silences">');
  });

  it("of far too much text is refused", async () => {
    const { url, daemon } = await start();
    expect(
      (await submit(`${url}/silences`, { ...FIELDS, comment: "x".repeat(70_000) })).status,
    ).toBe(413);
    expect(daemon.asked).toEqual([]);
  });
});
