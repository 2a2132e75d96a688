/**
 * The schema of `enrich` on a watch: which endpoint or program is asked about its events, and what
 * happens if it does not answer.
 */
import { z } from "zod";
import { formatDuration } from "../../model/duration.ts";
import type { EnrichRule } from "../../model/watch.ts";
import { addressSetting, allowPrivateSetting } from "../../sinks/kind/address-settings.ts";
import { programSetting } from "../../sinks/kind/program-setting.ts";
import { DEFAULTS } from "../defaults.ts";
import { duration } from "./scalar-schemas.ts";

const d = DEFAULTS.enrich;

export const enrichSchema = z
  .strictObject({
    url: addressSetting(
      "Where each event is posted: an http or https address.",
      "send them in `headers`",
    ).optional(),
    exec: programSetting(
      "Instead of `url`: a program and its arguments, which reads the event on its standard input. CHIRPWATCH_ALLOW_EXEC must list it.",
    ).optional(),
    labels: z
      .array(
        z
          .string()
          .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "a label may contain only letters, digits and _"),
      )
      .max(20)
      .prefault([])
      .describe("The labels that the answer may set. Others in it are ignored."),
    headers: z
      .record(
        z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "this is not a header name"),
        z
          .string()
          .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "contains characters that a header may not contain"),
      )
      .prefault({})
      .describe("Additional request headers, such as Authorization."),
    allow_private: allowPrivateSetting(),
    timeout: duration(100).prefault(d.timeout).describe("How long one attempt may take."),
    concurrency: z
      .int()
      .min(1)
      .max(32)
      .prefault(d.concurrency)
      .describe("How many events of this watch are asked about at the same time."),
    cache: duration()
      .prefault(d.cache)
      .describe("How long an answer is reused for events with the same text; 0s: never."),
    on_error: z
      .enum(["pass", "hold"])
      .prefault(d.on_error)
      .describe(
        'What happens without an answer. `pass`: the alert is sent at once, with the label enrich="failed". `hold`: the question is retried for `max_hold` first.',
      ),
    max_hold: duration(1_000)
      .prefault(d.max_hold)
      .describe("The longest time that an alert waits for its answer."),
  })
  .superRefine(({ url, exec, timeout, max_hold: maxHold }, context) => {
    const complain = (message: string, path: readonly string[] = []) =>
      context.addIssue({ code: "custom", path: [...path], message, params: { rule: "enrich" } });
    if (url === undefined && exec === undefined)
      complain("`enrich` has nothing to ask: write a `url`, or a program under `exec`");
    if (url !== undefined && exec !== undefined)
      complain("`url` and `exec` are both set: keep one of them", ["exec"]);
    if (maxHold < timeout)
      complain(
        `\`max_hold\` is shorter than one attempt (\`timeout\` ${formatDuration(timeout)}): write ${formatDuration(timeout)} or more`,
        ["max_hold"],
      );
  })
  .transform(
    ({ url, exec, labels, headers, ...rest }): EnrichRule => ({
      via:
        exec === undefined
          ? { kind: "url", url: url ?? "", headers, isPrivateAllowed: rest.allow_private }
          : { kind: "program", path: exec[0] ?? "", args: exec.slice(1) },
      labels,
      timeoutMs: rest.timeout,
      concurrency: rest.concurrency,
      cacheMs: rest.cache,
      onError: rest.on_error,
      maxHoldMs: rest.max_hold,
    }),
  );
