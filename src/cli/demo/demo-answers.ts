/**
 * An HTTP client that records which items the service's answers held, so that the demo can check
 * that an item was really served again.
 */
import type { Http } from "../../model/http.ts";

export interface AnswerLog {
  readonly http: Http;
  /** How often each id was served since the last `forget`. */
  readonly served: ReadonlyMap<string, number>;
  forget(): void;
}

const ID = /"id(?:_str)?"\s*:\s*"?(\d+)/g;

export function createAnswerLog(http: Http): AnswerLog {
  const served = new Map<string, number>();
  return {
    served,
    forget: () => served.clear(),
    http: {
      async request(request) {
        const response = await http.request(request);
        const ids = new Set([...response.body.matchAll(ID)].map(([, id]) => id ?? ""));
        for (const id of ids) served.set(id, (served.get(id) ?? 0) + 1);
        return response;
      },
    },
  };
}
