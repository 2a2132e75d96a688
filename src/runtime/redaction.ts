/** Keeps secrets out of text, whatever field or message they stand in. */

const MARK = "[redacted]";
/** Shorter texts would blacken half of every line; a secret this short protects nothing. */
const SHORTEST_SECRET = 4;

export interface Redactor {
  add(secret: string): void;
  redact(text: string): string;
  /** One JSON line in, one JSON line out: still JSON when a secret was in it. */
  redactJson(line: string): string;
}

/** Secrets are found as written, as JSON escapes them, and as they stand in a URL. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = new Set<string>();
  /** Longest first, so that a secret inside another leaves no rest. */
  let ordered: readonly string[] = [];
  const add = (secret: string) => {
    if (secret.length < SHORTEST_SECRET) return;
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
