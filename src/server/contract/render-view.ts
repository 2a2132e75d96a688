/** The JSON of `render`: one event as it would be sent to one sink now. */
import type { Json } from "../../model/json.ts";

export interface RenderView {
  readonly event: { readonly id: string; readonly type: string; readonly watch: string };
  readonly sink: string;
  /** The watch has had no event yet: this one is invented. */
  readonly sample: boolean;
  /** The template that words it; null where the default message is sent. */
  readonly template: string | null;
  /** Why the template failed; empty where it did not, and where there is none. */
  readonly problem: string;
  /** For people, without the sink's layout. */
  readonly text: string;
  /** What the sink would be sent, without addresses and secrets. */
  readonly payload: Json;
}
