/**
 * A single alert is worded by the template of its route, else by its sink's; where that fails, and
 * where there is none, by none.
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
 * Alerts are worded by the configuration of the moment they go out at, and routed by that of the
 * moment they were found at.
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
  // Programs get the event's own fields.
  if (names.size !== 1 || name === "") return [];
  const form = ANY_FORM.exec(body)?.[0];
  return form === FORMS[name]
    ? []
    : [`${row.sink}: message ${id} has the ${form ?? "default form"}, and its template is ${name}`];
}
