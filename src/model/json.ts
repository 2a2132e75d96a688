export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };
export type JsonObject = { readonly [key: string]: Json | undefined };

/** A JSON document in the form of text. It is stored and sent byte for byte. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
