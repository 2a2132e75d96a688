/** A stage that alerts pass on the way from the outbox to a sink. */
export interface Stage<In, Out> {
  readonly name: "group" | "seal" | "pace" | "send" | "record";
  run(input: In): Promise<Out>;
}
