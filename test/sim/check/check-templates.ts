/**
 * Checks which template words a single alert: that of its route, or else of its sink. If the
 * template fails, or if there is none, the default wording is used.
 */
import type { LeftMessage } from "../run/read-state.ts";
import type { Evidence } from "./evidence.ts";
import type { RuledEpoch } from "./expected.ts";
import type { Alert } from "./outbox.ts";

/** How the titles of each template begin. */
const FORMS: Readonly<Record<string, string>> = { t0: "Short form", t1: "Long form" };
const ANY_FORM = /(?:Short|Long|Broken) form/;

export function checkTemplates({ epochs, outbox, isClockSet }: Evidence): readonly string[] {
  if (isClockSet) return [];
  return [...outbox.messages.values()].flatMap((message) => {
    const [alert, ...others] = outbox.members.get(message.id) ?? [];
    if (
      alert === undefined ||
      others.length > 0 ||
      alert.event.type !== "tweet.created" ||
      !isSingle(message)
    )
      return [];
    return hasChanged(message, alert, epochs) ? [] : checkForm(message, alert);
  });
}

const isSingle = ({ groupKey, parentId, body }: LeftMessage): boolean =>
  parentId === null && !groupKey.startsWith("digest\n") && body !== "null";

/**
 * Returns whether the configuration changed meanwhile. Alerts are routed by the configuration at
 * the time they are found, and worded by that at the time they are sent.
 */
function hasChanged(
  { sink, sealedAtMs }: LeftMessage,
  { event }: Alert,
  epochs: readonly RuledEpoch[],
): boolean {
  const active = epochs.filter(
    ({ fromMs, toMs }) => fromMs <= sealedAtMs + 1_000 && toMs >= event.detectedAtMs,
  );
  return (
    new Set(active.map(({ rules: { root, sinks } }) => JSON.stringify([root, sinks.get(sink)])))
      .size > 1
  );
}

function checkForm({ id, body }: LeftMessage, { row, places }: Alert): readonly string[] {
  const names = new Set(
    places.map(({ route, rules }) => {
      const sink = rules.sinks.get(row.sink);
      return sink?.isChat === true
        ? (route?.template ?? (sink.keys["template"] as string | undefined) ?? "none")
        : "";
    }),
  );
  const [name = ""] = names;
  // Sinks for programs get the event's own fields.
  if (names.size !== 1 || name === "") return [];
  const form = ANY_FORM.exec(body)?.[0];
  return form === FORMS[name]
    ? []
    : [`${row.sink}: message ${id} has the ${form ?? "default form"}, and its template is ${name}`];
}
