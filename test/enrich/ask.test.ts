/**
 * Tests the outcome of one request about an event: each kind of answer of an endpoint, and each way
 * in which a program ends.
 */
import { describe, expect, it } from "vitest";
import { createAsk, EnrichFailure } from "../../src/enrich/ask.ts";
import { type Http, HttpError, type HttpRequest } from "../../src/model/http.ts";
import type { ProgramResult } from "../../src/model/outputs.ts";
import type { EnrichRule } from "../../src/model/watch.ts";
import { makeEvent } from "../support/make-event.ts";
import { MINUTE, RULE, SECOND } from "./enrich-fixture.ts";

const GOOD = '{"labels":{"mood":"good"}}';
const NOW_MS = Date.UTC(2026, 0, 15, 12, 0, 0);

/** Returns the labels, or the failure and how long the endpoint asked to wait. */
async function outcomeOf(
  rule: EnrichRule,
  parts: { http?: Http; result?: ProgramResult | Error },
): Promise<unknown> {
  const { http = { request: () => Promise.reject(new Error("not asked")) }, result } = parts;
  const run = async (): Promise<ProgramResult> => {
    if (result === undefined || result instanceof Error) throw result ?? new Error("not asked");
    return result;
  };
  const ask = createAsk({ http, outputs: { run }, clock: { now: () => NOW_MS } });
  return ask(rule, makeEvent("1"), new AbortController().signal).then(
    ({ labels }) => labels,
    (error: unknown) => (error instanceof EnrichFailure ? [error.message, error.afterMs] : error),
  );
}

const answering = (status: number, body: string, headers: Record<string, string> = {}): Http => ({
  request: async () => ({ status, headers, body }),
});

describe("an endpoint", () => {
  it.each([
    [200, GOOD, {}, { mood: "good" }],
    [204, "", {}, ["the answer is not a JSON object", undefined]],
    [200, "<html>", { "retry-after": "60" }, ["the answer is not a JSON object", undefined]],
    [302, GOOD, {}, ["the endpoint answered 302, a redirect, which is not followed", undefined]],
    [404, GOOD, {}, ["the endpoint answered 404", undefined]],
    [429, "", { "retry-after": "90" }, ["the endpoint answered 429", 90 * SECOND]],
    [
      503,
      GOOD,
      { "retry-after": new Date(NOW_MS + 2 * MINUTE).toUTCString() },
      ["the endpoint answered 503", 2 * MINUTE],
    ],
    [503, "", { "retry-after": "soon" }, ["the endpoint answered 503", undefined]],
    // A requested wait is limited to an hour.
    [503, "", { "retry-after": "86400" }, ["the endpoint answered 503", 60 * MINUTE]],
  ])("that answers %i %o %o", async (status, body, headers, outcome) => {
    expect(
      await outcomeOf(RULE, { http: answering(status, body, headers as Record<string, string>) }),
    ).toEqual(outcome);
  });

  it("that refuses its address says which host, and nothing of its path", async () => {
    const http: Http = {
      request: () => Promise.reject(new HttpError("HTTP_ADDRESS_REFUSED", "refused", false)),
    };
    const url = "http://127.0.0.1:8080/secret?token=x";
    const failure = await outcomeOf(
      { ...RULE, via: { kind: "url", url, headers: {}, isPrivateAllowed: false } },
      { http },
    );
    expect(failure).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:8080 is a private .* `allow_private: true`/),
      undefined,
    ]);
  });

  it("gets the event as JSON with its own headers, within the timeout, at an address that the rule allows", async () => {
    const sent: HttpRequest[] = [];
    const http: Http = {
      request: async (request) => {
        sent.push(request);
        return { status: 200, headers: {}, body: GOOD };
      },
    };
    const headers = { authorization: "Bearer x", "content-type": "text/plain" };
    await outcomeOf(
      { ...RULE, via: { kind: "url", url: "https://e.example/", headers, isPrivateAllowed: true } },
      { http },
    );
    expect(sent[0]).toMatchObject({
      ...{ method: "POST", timeoutMs: RULE.timeoutMs, reach: "any" },
      headers: { authorization: "Bearer x", "content-type": "application/json" },
    });
    expect(JSON.parse(String(sent[0]?.body))).toMatchObject({
      type: "tweet.created",
      data: { tweet: { id: "1" } },
    });
  });
});

describe("a program", () => {
  const via: EnrichRule["via"] = { kind: "program", path: "/opt/mood", args: [] };
  it.each([
    [{ end: 0, stdout: GOOD, output: GOOD }, { mood: "good" }],
    [{ end: 0, stdout: GOOD, output: `a warning\n${GOOD}` }, { mood: "good" }],
    // Output printed before a failure is not an answer.
    [{ end: 1, stdout: GOOD, output: GOOD }, ["/opt/mood ended with exit code 1", undefined]],
    [{ end: "SIGKILL", stdout: GOOD, output: GOOD }, ["/opt/mood was ended by SIGKILL", undefined]],
    [
      { end: "timeout", stdout: GOOD, output: GOOD },
      ["/opt/mood did not end within 3s and was killed", undefined],
    ],
    [new Error("no such file"), ["/opt/mood could not be started: no such file", undefined]],
  ] as const)("whose run is %o", async (result, outcome) => {
    expect(await outcomeOf({ ...RULE, via }, { result })).toEqual(outcome);
  });
});
