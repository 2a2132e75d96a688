/**
 * Renders the texts of events by their templates before messages are sealed. If a template fails or
 * runs too long, the event keeps its default message, and the operator is alerted.
 */
import type { Clock } from "../../model/clock.ts";
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import {
  coversEvent,
  type MessageTemplate,
  type Region,
  type TemplateJob,
  type TemplateRunner,
} from "../../model/template.ts";
import { createTemplateData } from "./template-data.ts";

/**
 * How long a template is not used after it had to be stopped. Each attempt with it could cost a
 * second.
 */
const SUSPEND_MS = 300_000;
const SUSPENDED = "it ran too long before and has not been tried again yet";

export interface TemplateFailure {
  readonly template: string;
  readonly sink: string;
  /** The error text of liquidjs, with line and column. */
  readonly problem: string;
}

/**
 * A template that has recently failed at a sink. Failures from before the configuration was loaded
 * are not included.
 */
export interface FailingTemplate extends TemplateFailure {
  /** The number of messages that were sent with their default wording instead. */
  readonly count: number;
  readonly lastAtMs: number;
}

/** The configured templates, and the runner that renders them. */
export interface Templates {
  readonly byName: ReadonlyMap<string, MessageTemplate>;
  readonly runner: TemplateRunner;
  onFailing(failure: TemplateFailure): void;
}

export interface WordingDeps {
  readonly clock: Clock;
  /** Reads an event as the default message for a sink. */
  read(event: OutboxEvent, sink: string): NeutralMessage;
  readonly templates?: Templates | undefined;
}

/** The settings of a sink on which the rendered text depends. */
export interface WordedSink {
  readonly name: string;
  /** The template for events whose route sets none. */
  readonly template?: string | undefined;
  readonly region?: Region | undefined;
  /** Whether the sink can show times in each reader's time zone. */
  readonly hasMoments?: boolean | undefined;
}

/** An event with the template that its route sets. */
export type TemplatedEvent = OutboxEvent & { readonly template?: string | undefined };

/**
 * Returns the same events in the same order. Events that have a template get the text that it
 * rendered.
 */
export type WordEvents = (
  sink: WordedSink,
  events: readonly TemplatedEvent[],
) => Promise<readonly OutboxEvent[]>;

export function createWordEvents({ clock, read, templates }: WordingDeps): WordEvents {
  if (templates === undefined) return async (_sink, events) => events;
  const { byName, runner, onFailing } = templates;
  const dataOf = new Map(
    [...byName].map(([name, template]) => [name, createTemplateData(template)]),
  );
  const suspendedUntilMs = new Map<string, number>();
  const templateOf = (
    { template: standard }: WordedSink,
    { template, event }: TemplatedEvent,
  ): string | undefined => {
    // If a reload has removed the template that the route set, the template of the sink is used.
    const found =
      (template === undefined ? undefined : byName.get(template)) ?? byName.get(standard ?? "");
    return found === undefined || event.watchType === "daemon" || !coversEvent(found, event.type)
      ? undefined
      : found.name;
  };
  const isSuspended = ({ name }: WordedSink, template: string) =>
    (suspendedUntilMs.get(`${name}\n${template}`) ?? 0) > clock.monotonic();
  return async (sink, events) => {
    const nowMs = clock.now();
    const named = events.map((event) => templateOf(sink, event));
    const suspended = new Set(
      named.filter((template) => template !== undefined && isSuspended(sink, template)),
    );
    const jobs: TemplateJob[] = [];
    for (const [index, event] of events.entries()) {
      const template = named[index];
      if (template === undefined || suspended.has(template)) continue;
      const data = dataOf.get(template)?.(event, () => read(event, sink.name));
      if (data !== undefined) jobs.push(jobOf(sink, template, data, nowMs));
    }
    if (jobs.length + suspended.size === 0) return events;
    const results = jobs.length === 0 ? [] : await runner.run(jobs);
    let next = 0;
    return events.map((event, index) => {
      const template = named[index];
      if (template === undefined) return event;
      if (suspended.has(template)) return { ...event, worded: { template, error: SUSPENDED } };
      const result = results[next++];
      if (result === undefined) return event;
      if ("wording" in result) return { ...event, wording: result.wording, worded: { template } };
      if (result.isRunaway)
        suspendedUntilMs.set(`${sink.name}\n${template}`, clock.monotonic() + SUSPEND_MS);
      onFailing({ template, sink: sink.name, problem: result.problem });
      return { ...event, worded: { template, error: result.problem } };
    });
  };
}

const jobOf = (
  { region = {}, hasMoments = false }: WordedSink,
  template: string,
  data: string,
  nowMs: number,
): TemplateJob => ({
  template,
  data,
  region,
  hasMoments,
  nowMs,
});
