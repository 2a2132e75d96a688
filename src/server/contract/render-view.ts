/** The JSON of `render`: one event as it would be sent to one sink now. */
import type { Json } from "../../model/json.ts";

export interface RenderView {
  readonly event: { readonly id: string; readonly type: string; readonly watch: string };
  readonly sink: string;
  /** Whether the event is invented, because the watch has had none yet. */
  readonly sample: boolean;
  /** The template that words the event; null if the default message is sent. */
  readonly template: string | null;
  /** Why the template failed; empty if it did not, or if there is none. */
  readonly problem: string;
  /** The message for people, without the sink's layout. */
  readonly text: string;
  /** What the sink would be sent, without addresses and secrets. */
  readonly payload: Json;
}
