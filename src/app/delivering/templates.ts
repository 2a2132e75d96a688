/**
 * Runs the templates of one configuration, in a thread that ends with the delivery half, and
 * records the failures of each.
 */
import type { Clock } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import type { OpsAlert } from "../../model/ops-alerts.ts";
import type { MessageTemplate, TemplateRunner } from "../../model/template.ts";
import type {
  FailingTemplate,
  TemplateFailure,
  Templates,
} from "../../deliver/stages/word-events.ts";

/** Starts the template runner. Nothing is loaded before the first job. */
type StartTemplates = (
  templates: readonly MessageTemplate[],
  options: { readonly clock: Clock },
) => TemplateRunner;

/** A template that keeps failing raises an ops alert at most this often. */
const ALERT_EVERY_MS = 86_400_000;
/** How long after a failure its template counts as failing. */
const FAILING_MS = 86_400_000;

export interface TemplateDeps {
  readonly clock: Clock;
  readonly startTemplates: StartTemplates;
  onTemplateFailing(failure: TemplateFailure, template: MessageTemplate, untilMs: number): void;
}

export interface RunningTemplates extends Templates {
  failing(): readonly FailingTemplate[];
}

/**
 * Creates the alert for a failing template: at most once a day per template and sink, and again if
 * the template was changed.
 */
export const templateAlert = (
  hash: Hash,
  { template, sink, problem }: TemplateFailure,
  { title = "", body = "" }: MessageTemplate,
  untilMs: number,
): OpsAlert => ({
  type: "template.failing",
  subject: template,
  severity: "warning",
  message: `The template ${template} failed for ${sink}: ${problem}`,
  hint: `The default message was sent instead. Check the template with chirpwatch render EVENT --sink ${sink}, correct it, and reload.`,
  facts: { sink },
  once: {
    key: `template.failing:${sink}:${template}`,
    about: hash(`${title}\n${body}`),
    endsAtMs: untilMs,
  },
});

/** Starts the templates; undefined if there are none. */
export function startTemplates(
  configured: readonly MessageTemplate[],
  { clock, startTemplates: start, onTemplateFailing }: TemplateDeps,
): RunningTemplates | undefined {
  if (configured.length === 0) return undefined;
  const byName = new Map(configured.map((template) => [template.name, template]));
  const failures = new Map<string, FailingTemplate>();
  const alertedUntilMs = new Map<string, number>();
  return {
    byName,
    runner: start(configured, { clock }),
    failing: () =>
      [...failures.values()].filter(({ lastAtMs }) => lastAtMs > clock.now() - FAILING_MS),
    onFailing(failure) {
      const key = `${failure.sink}\n${failure.template}`;
      const nowMs = clock.now();
      failures.set(key, {
        ...failure,
        count: (failures.get(key)?.count ?? 0) + 1,
        lastAtMs: nowMs,
      });
      const template = byName.get(failure.template);
      if (template === undefined || (alertedUntilMs.get(key) ?? nowMs) > nowMs) return;
      alertedUntilMs.set(key, nowMs + ALERT_EVERY_MS);
      onTemplateFailing(failure, template, nowMs + ALERT_EVERY_MS);
    },
  };
}
