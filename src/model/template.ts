/**
 * The port for message templates: their text, their input, and the texts that they render. A runner
 * renders them and can stop one that runs too long.
 */

/** A named template of the configuration. It has at least one of `title` and `body`. */
export interface MessageTemplate {
  readonly name: string;
  /** The event types to which the template applies; `tweet.*` stands for a family, `*` for all. */
  readonly events: readonly string[];
  /** The text in the language Liquid. */
  readonly title?: string | undefined;
  /** The text in the language Liquid. */
  readonly body?: string | undefined;
  /**
   * The paths in its data that it may read, each with everything below. If absent, it may read
   * anything.
   */
  readonly reads?: readonly (readonly string[])[] | undefined;
}

/** The format of times and numbers for a sink's readers. */
export interface Region {
  /** A BCP 47 tag, such as de-DE. */
  readonly locale?: string | undefined;
  /** IANA time zone name. If absent, times are in UTC, and are marked as UTC. */
  readonly timezone?: string | undefined;
}

export const TIME_STYLES = ["datetime", "date", "time", "relative"] as const;
export type TimeStyle = (typeof TIME_STYLES)[number];

/**
 * A moment within text, for chats that show it in each reader's own time zone. `text` is for all
 * others.
 */
export interface Moment {
  readonly atMs: number;
  readonly style: TimeStyle;
  readonly text: string;
}

/** Plain, unescaped text, or a moment between two texts. */
export type TextPiece = string | Moment;

/** The texts that a template rendered for an event. An absent part keeps the default message. */
export interface Wording {
  readonly title?: readonly TextPiece[];
  readonly body?: readonly TextPiece[];
}

export const spellOut = (pieces: readonly TextPiece[]): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");

export interface TemplateJob {
  /** The name of the template. */
  readonly template: string;
  /** The template's input, as JSON. */
  readonly data: string;
  readonly region: Region;
  /** Whether times become moments rather than text. */
  readonly hasMoments: boolean;
  readonly nowMs: number;
}

export type TemplateResult =
  | { readonly wording: Wording }
  /** The template failed. `isRunaway` is true if it did not end and had to be stopped. */
  | { readonly problem: string; readonly isRunaway: boolean };

export interface TemplateRunner {
  /** Runs jobs. Returns the results in their order. Never rejects. */
  run(jobs: readonly TemplateJob[]): Promise<readonly TemplateResult[]>;
  stop(): Promise<void>;
}

/**
 * Whether one of the template's patterns matches the event type: the type itself, a family such as
 * `tweet.*`, or `*`.
 */
export const coversEvent = ({ events }: Pick<MessageTemplate, "events">, type: string): boolean =>
  events.some(
    (pattern) =>
      pattern === type ||
      pattern === "*" ||
      (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1))),
  );
