/** Events of a watch that wait for their enrichment, as page and status say it. */
import { counted } from "./page-words.ts";
import type { WatchView } from "./views.ts";

/** `3 events not enriched yet: the endpoint answered 503`; empty when none waits and there are answers. */
export function enrichingWords({ enriching }: Pick<WatchView, "enriching">): string {
  if (enriching === null) return "";
  const { failing_since: since } = enriching;
  if (enriching.waiting === 0)
    return `events go out not enriched: ${enriching.error}${since === null ? "" : `, since ${since.slice(0, 16).replace("T", " ")} UTC`}`;
  return `${counted(enriching.waiting, "event")} not enriched yet${enriching.error === "" ? "" : `: ${enriching.error}`}`;
}
