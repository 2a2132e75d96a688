/**
 * Plays people who act on alerts through the daemon's API: marks, snoozes and silences of authors.
 * Records what was requested, when it may have taken effect, and what was answered.
 */
import type { Clock } from "../../../src/model/clock.ts";
import type { Step } from "../draw/scenario.ts";
import type { SimDaemon } from "./daemon.ts";
import type { SilenceSpan } from "./silencing.ts";

export type ActStep = Step & { readonly do: "mark" | "hold" | "end hold" };

/** A mark that somebody set or removed. It took effect between the two times, or never. */
export interface ActSpan {
  readonly kind: "acknowledged" | "not_relevant";
  /** The id of the event or of the message that was named. */
  readonly what: string;
  readonly isUndo: boolean;
  readonly by: string;
  readonly fromMs: number;
  /** Infinity if no answer arrived. */
  toMs: number;
  /** How many alerts it changed. Undefined if no answer arrived. */
  changed: number | undefined;
}

type Asked = Pick<SimDaemon, "ask">;

export interface Acting {
  readonly spans: readonly ActSpan[];
  /** Resolves when the daemon has answered. */
  act(step: ActStep, daemon: Asked): Promise<void>;
}

/** The part of the answers about events that is used here. */
interface Listed {
  readonly events: readonly { readonly data: { readonly id: string } }[];
}
interface Explained {
  readonly verdicts?: readonly {
    readonly deliveries?: readonly { readonly message_id?: string | null; readonly sink: string }[];
  }[];
}
interface Held {
  readonly held: readonly {
    readonly id: string;
    readonly sink: string;
    readonly matchers: readonly string[];
    readonly until: string;
  }[];
}

/** Creates the actors. The checks treat snoozes as silences, so they are added to `silences`. */
export function createActing({ now }: Pick<Clock, "now">, silences: SilenceSpan[]): Acting {
  const spans: ActSpan[] = [];
  const holds: SilenceSpan[] = [];

  const mark = async (step: ActStep & { readonly do: "mark" }, daemon: Asked) => {
    const { kind, isUndo, by } = step;
    const key = kind === "acknowledged" ? "acknowledged" : "not-relevant";
    const what = await chosen(step, isUndo ? `&${key}=yes` : "", daemon);
    if (what === undefined) return;
    const span: ActSpan = {
      ...{ kind, what, isUndo, by, fromMs: now() },
      ...{ toMs: Number.POSITIVE_INFINITY, changed: undefined },
    };
    spans.push(span);
    const path = `${what}/${kind === "acknowledged" ? "acknowledgement" : key}?by=${encodeURIComponent(by)}`;
    const answer = await daemon.ask(isUndo ? "DELETE" : "POST", `/api/v1/alerts/${path}`);
    // It may have been stored before the connection was cut.
    if (answer === undefined || answer.status >= 500) return;
    span.toMs = now();
    span.changed =
      answer.status === 200 ? (JSON.parse(answer.text) as { readonly changed: number }).changed : 0;
  };

  const hold = async (step: ActStep & { readonly do: "hold" }, daemon: Asked) => {
    const { kind, by, for: length, isAtOneSink } = step;
    const what = await chosen(step, "", daemon);
    if (what === undefined) return;
    const sinks = await sinksOf(what, daemon);
    const [sink] = sinks;
    const at = isAtOneSink && sink !== undefined ? `&sink=${sink}` : "";
    const fromMs = now();
    // The matchers are known only from the answer. Until then any alert may be held back.
    const unknown = { ...spanOf(kind, [], fromMs), sinks: [] };
    silences.push(unknown);
    const query = `for=${length}&by=${encodeURIComponent(by)}${at}`;
    const answer = await daemon.ask("POST", `/api/v1/alerts/${what}/${kind}?${query}`);
    if (answer === undefined || answer.status >= 500) return;
    silences.splice(silences.indexOf(unknown), 1);
    if (answer.status !== 200) return;
    for (const one of (JSON.parse(answer.text) as Held).held) {
      const span: SilenceSpan = {
        ...spanOf(kind, one.matchers, fromMs),
        ...{ sinks: [one.sink], id: one.id, certainFromMs: now() },
        ...{ toMs: Date.parse(one.until), certainToMs: Date.parse(one.until) },
      };
      silences.push(span);
      holds.push(span);
    }
  };

  const end = async ({ nth }: ActStep & { readonly do: "end hold" }, daemon: Asked) => {
    const id = holds.at(-1 - nth)?.id;
    // A hold that was prolonged has two spans.
    const own = holds.filter((hold) => hold.id === id);
    if (id === undefined) return;
    for (const span of own) span.certainToMs = Math.min(span.certainToMs, now());
    const answer = await daemon.ask("DELETE", `/api/v1/silences/${id}`);
    if (answer === undefined || answer.status >= 500) return;
    for (const span of own) span.toMs = Math.min(span.toMs, now());
  };

  return {
    spans,
    act: (step, daemon) =>
      step.do === "mark"
        ? mark(step, daemon)
        : step.do === "hold"
          ? hold(step, daemon)
          : end(step, daemon),
  };
}

const spanOf = (
  kind: "snooze" | "author-silence",
  matchers: readonly string[],
  fromMs: number,
): SilenceSpan => ({
  kind: kind === "snooze" ? "snooze" : "silence",
  ...{ matchers, sinks: [], fromMs, toMs: Number.POSITIVE_INFINITY, id: undefined },
  ...{ certainFromMs: Number.POSITIVE_INFINITY, certainToMs: Number.POSITIVE_INFINITY },
});

/** Returns the id that the person names, or undefined if there is no such alert. */
async function chosen(
  { nth, named }: ActStep & { readonly do: "mark" | "hold" },
  filter: string,
  daemon: Asked,
): Promise<string | undefined> {
  const listed = await daemon.ask("GET", `/api/v1/events?alerts=true&state=sent&limit=20${filter}`);
  if (listed?.status !== 200) return undefined;
  const { events } = JSON.parse(listed.text) as Listed;
  const id = events[nth % Math.max(1, events.length)]?.data.id;
  if (id === undefined || named === "event") return id;
  return (await deliveriesOf(id, daemon)).find((one) => one.message_id)?.message_id ?? id;
}

const sinksOf = async (id: string, daemon: Asked): Promise<readonly string[]> =>
  (await deliveriesOf(id, daemon)).map(({ sink }) => sink);

async function deliveriesOf(id: string, daemon: Asked) {
  const explained = await daemon.ask("GET", `/api/v1/explain/${id}`);
  if (explained?.status !== 200) return [];
  return (JSON.parse(explained.text) as Explained).verdicts?.[0]?.deliveries ?? [];
}
