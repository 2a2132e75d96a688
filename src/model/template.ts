/**
 * Message templates as a port: what they say, what they are given, and what they made of an event.
 * Whoever runs them can stop them.
 */

/** A named template of the configuration. At least one of `title` and `body` is there. */
export interface MessageTemplate {
  readonly name: string;
  /** Event types that it is for; `tweet.*` stands for a family, `*` for all. */
  readonly events: readonly string[];
  /** Liquid. */
  readonly title?: string;
  /** Liquid. */
  readonly body?: string;
  /**
   * Paths of names that it may read of its data, each with all that is below; absent: it may read
   * anything.
   */
  readonly reads?: readonly (readonly string[])[];
}

/** How a sink's readers write times and numbers. */
export interface Region {
  /** BCP 47, like de-DE. */
  readonly locale?: string;
  /** IANA name; UTC where absent, and then it is said. */
  readonly timezone?: string;
}

export const TIME_STYLES = ["datetime", "date", "time", "relative"] as const;
export type TimeStyle = (typeof TIME_STYLES)[number];

/**
 * A moment among text, for chats that show it in each reader's own time zone; `text` is for all
 * others.
 */
export interface Moment {
  readonly atMs: number;
  readonly style: TimeStyle;
  readonly text: string;
}

/** Plain text of whoever wrote it, unescaped, and moments between. */
export type TextPiece = string | Moment;

/** What a template made of an event. What is absent stays as the default message has it. */
export interface Wording {
  readonly title?: readonly TextPiece[];
  readonly body?: readonly TextPiece[];
}

export const spellOut = (pieces: readonly TextPiece[]): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");

export interface TemplateJob {
  /** Name of the template. */
  readonly template: string;
  /** What the template sees, as JSON. */
  readonly data: string;
  readonly region: Region;
  /** Times become moments rather than text. */
  readonly hasMoments: boolean;
  readonly nowMs: number;
}

export type TemplateResult =
  | { readonly wording: Wording }
  /** `isRunaway`: it did not end by itself. */
  | { readonly problem: string; readonly isRunaway: boolean };

export interface TemplateRunner {
  /** Results in the order of the jobs. Never rejects. */
  run(jobs: readonly TemplateJob[]): Promise<readonly TemplateResult[]>;
  stop(): Promise<void>;
}

/** Whether the template is for events of that type. */
export const coversEvent = ({ events }: Pick<MessageTemplate, "events">, type: string): boolean =>
  events.some(
    (pattern) =>
      pattern === type ||
      pattern === "*" ||
      (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1))),
  );
