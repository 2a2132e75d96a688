/** Removes secrets from text, in whatever field or message they appear. */

const MARK = "[redacted]";
/**
 * The minimum length of secrets that are redacted. Shorter ones would match in half of all lines,
 * and so short a secret protects nothing.
 */
const MIN_SECRET_LENGTH = 4;

export interface Redactor {
  add(secret: string): void;
  redact(text: string): string;
  /** Redacts one line of JSON. The result is valid JSON too. */
  redactJson(line: string): string;
}

/**
 * Creates a redactor. It finds secrets as they are written, as JSON escapes them, and as they
 * appear in a URL.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = new Set<string>();
  /**
   * The forms of all secrets, longest first: if a secret contains another one, it is removed whole.
   */
  let ordered: readonly string[] = [];
  const add = (secret: string) => {
    if (secret.length < MIN_SECRET_LENGTH) return;
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
      forms.add(form);
    ordered = [...forms].sort((a, b) => b.length - a.length);
  };
  for (const secret of secrets) add(secret);
  const redact = (text: string) =>
    ordered.reduce((clean, form) => clean.replaceAll(form, MARK), text);
  const redactJson = (line: string) => {
    if (!ordered.some((form) => line.includes(form))) return line;
    try {
      return `${JSON.stringify(redactValue(JSON.parse(line), redact))}\n`;
    } catch {
      return redact(line);
    }
  };
  return { add, redact, redactJson };
}

function redactValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value === "number") {
    const clean = redact(String(value));
    return clean === String(value) ? value : clean;
  }
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [redact(name), redactValue(inner, redact)]),
  );
}
