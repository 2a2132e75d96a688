/**
 * Creates the schemas of values that have a syntax of their own: durations, shares, addresses, time
 * zones, names. Each parses the text into the value that the daemon uses.
 */
import type { Rule } from "../rules.ts";
import { z } from "zod";
import { checkBaseUrl } from "../../api/base-url.ts";
import { formatDuration, parseDuration } from "../../model/duration.ts";
import { isLoopback } from "../../model/loopback.ts";
import { isLocale } from "../../render/text/times.ts";
import { isTimezone } from "../../route/zone.ts";

type Complain = (rule: Rule, message: string) => never;

/**
 * Creates the schema of a text that `read` converts. `read` refuses a text by calling `complain`.
 */
function readText<T>(read: (text: string, complain: Complain) => T) {
  return z.string().transform((text, context): T => {
    const complain: Complain = (rule, message) => {
      context.addIssue({ code: "custom", message, params: { rule } });
      return z.NEVER;
    };
    return read(text.trim(), complain);
  });
}

/** Creates the schema of a duration in milliseconds, at least `minMs`. */
export const duration = (minMs = 0) =>
  readText((text, complain): number => {
    const ms = parseDuration(text);
    if (ms === undefined)
      return complain(
        "duration",
        `"${text}" is not a duration: write a number and a unit, like 30s, 5m, 1h30m or 2d`,
      );
    if (ms < minMs)
      return complain(
        "duration-limit",
        `${text} is too short: write ${formatDuration(minMs)} or more`,
      );
    return ms;
  });

/** Creates the schema of a share from 0 to less than 1, written as `10%` or `0.1`. */
export const share = () =>
  z.union([z.string(), z.number()]).transform((value, context): number => {
    const text = String(value).trim();
    const found = /^(\d+(?:\.\d+)?)(%?)$/.exec(text);
    const part = Number(found?.[1]) / (found?.[2] === "%" ? 100 : 1);
    if (found !== null && part < 1) return part;
    context.addIssue({
      code: "custom",
      message: `"${text}" is not a percentage below 100%: write it like 10%`,
      params: { rule: "share" },
    });
    return z.NEVER;
  });

/**
 * Names that are known to be time zones. They are kept, because the runtime needs 40 µs to check
 * one, and ten thousand watches name only a few.
 */
const goodTimezones = new Set<string>();

function isKnownTimezone(name: string): boolean {
  if (!goodTimezones.has(name) && isTimezone(name)) goodTimezones.add(name);
  return goodTimezones.has(name);
}

export const timezone = () =>
  readText((text, complain): string =>
    isKnownTimezone(text)
      ? text
      : complain(
          "timezone",
          `"${text}" is not a time zone: write an IANA name such as Europe/Berlin or UTC`,
        ),
  );

/**
 * Creates the schema of `{ cron, timezone }`. `fields` and `defaultZone` are texts for the
 * reference page: which cron fields there are, and which zone applies without `timezone`.
 */
export const zonedCron = (fields: string, defaultZone: string) =>
  z.strictObject({
    cron: z.string().describe(fields),
    timezone: timezone().optional().describe(`Time zone of the fields. Default: ${defaultZone}.`),
  });

/** Creates the schema of a locale as Intl accepts it: `de` or `de-DE`. */
export const locale = () =>
  readText((text, complain): string =>
    isLocale(text)
      ? text
      : complain(
          "locale",
          `"${text}" is not a locale: write a language and a country, like de-DE or en-GB`,
        ),
  );

/**
 * Creates the schema of the service's address, or the word `sandbox`. `/v3` and a slash at its end
 * are removed.
 */
export const baseUrl = () =>
  readText((text, complain): string => {
    if (text === "sandbox") return text;
    const address = checkBaseUrl(text);
    if ("problem" in address)
      return complain(
        "base-url",
        'must be "sandbox", an https:// address, or an http:// address on this machine (127.0.0.1)',
      );
    return address.url.replace(/\/v3$/, "");
  });

/**
 * Creates the schema of a URL: https for any host, http only for a loopback host. Messages do not
 * repeat the URL, because it often contains a key.
 */
export const webAddress = () =>
  readText((text, complain): string => {
    if (URL.canParse(text) && isAllowed(new URL(text))) return text;
    return complain(
      "web-address",
      "this is not an address that starts with https:// (http:// only on this machine)",
    );
  });

/** Creates the schema of the status page's address. Slashes at its end are removed. */
export const publicUrl = () =>
  readText((text, complain): string =>
    URL.canParse(text) && /^https?:\/\/[^?#]+$/.test(text)
      ? text.replace(/\/+$/, "")
      : complain(
          "public-url",
          `"${text}" is not a web address: write it like https://chirpwatch.example.com`,
        ),
  );

/**
 * Creates the schema of the origin of permalinks, such as `https://x.com`. A slash at its end is
 * removed.
 */
export const linksHost = () =>
  readText((text, complain): string =>
    URL.canParse(text) && /^https?:\/\/[^/?#]+\/?$/.test(text)
      ? text.replace(/\/$/, "")
      : complain("links-host", `"${text}" is not a host: write it like https://x.com`),
  );

const isAllowed = (url: URL): boolean =>
  url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));

export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** Creates the schema of `host:port`, with an IPv6 host in brackets. */
export const listen = () =>
  readText((text, complain): Listen => {
    const found = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s/]+)):(\d{1,5})$/.exec(text);
    const port = Number(found?.[3]);
    if (found === null || port > 65_535)
      return complain(
        "listen",
        `"${text}" is not an address to listen on: write host:port, like 127.0.0.1:9464`,
      );
    return { host: found[1] ?? found[2] ?? "", port };
  });

/** Creates the schema of a name or a list of names. The value is always a list. */
export const names = () =>
  z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .transform((value) => (typeof value === "string" ? [value] : value));
