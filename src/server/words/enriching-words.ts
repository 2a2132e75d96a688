/** Events of a watch that wait for their enrichment, as page and status say it. */
import { counted } from "./page-words.ts";
import type { WatchView } from "./views.ts";

/** `3 events not enriched yet: the endpoint answered 503`; empty when none waits. */
export function enrichingWords({ enriching }: Pick<WatchView, "enriching">): string {
  if (enriching === null) return "";
  return `${counted(enriching.waiting, "event")} not enriched yet${enriching.error === "" ? "" : `: ${enriching.error}`}`;
}
