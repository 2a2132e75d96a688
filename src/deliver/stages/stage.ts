/** The interface of every step between the outbox and a sink. */
export interface Stage<In, Out> {
  readonly name: "group" | "seal" | "pace" | "send" | "record";
  run(input: In): Promise<Out>;
}
