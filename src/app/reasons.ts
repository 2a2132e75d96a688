/** Why someone should look at the daemon: one sentence for each trouble, with its cause. The only place that says so, for page, API and terminal. */
import { unreadableText } from "../engine/target-trouble.ts";
import { isUnreadable } from "../server/page-attention.ts";
import type { ConfigView, SinkView, WatchView } from "../server/views.ts";
import { type QuotaFacts, quotaReasons } from "./quota-view.ts";

export interface Troubles {
  /** Why the state cannot be written; undefined while it can. */
  readonly store: string | undefined;
  /** What is wrong with the data service; undefined while it answers. */
  readonly upstream: string | undefined;
  readonly quota: QuotaFacts;
  readonly sinks: readonly SinkView[];
  readonly watches: readonly WatchView[];
  readonly refusal: ConfigView["failed_reload"];
}

/** Empty when all is well. What the file says wrong in a refused reload is not repeated: it stands beside. */
export function reasonsOf({ store, upstream, quota, sinks, watches, refusal }: Troubles): readonly string[] {
  return [
    ...(store === undefined ? [] : [`the state cannot be written: ${store}`]),
    ...(upstream === undefined ? [] : [`the data service: ${upstream}`]),
    ...quotaReasons(quota),
    ...sinks.flatMap(brokenText),
    ...watches.flatMap(unreadableIn),
    ...(refusal === null ? [] : [`the changed configuration was refused at ${refusal.at}; the old one stays in force`]),
  ];
}

const brokenText = ({ name, breaker, reason, waiting }: SinkView): readonly string[] =>
  breaker === "open" ? [`${name} does not take messages: ${reason}${waiting === 0 ? "" : ` (${waiting} waiting, kept)`}`] : [];

/** One sentence for all targets of a watch that have the same cause. */
function unreadableIn({ id, targets }: WatchView): readonly string[] {
  const byCause = new Map<string, string[]>();
  for (const { name, reason } of targets.filter(isUnreadable)) byCause.set(reason, [...(byCause.get(reason) ?? []), name]);
  return [...byCause].map(([reason, names]) => unreadableText(id, names, reason));
}
