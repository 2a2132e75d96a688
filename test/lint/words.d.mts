/** The types of words.mjs, for the tests that check pages with it. */
export interface Refused {
  readonly word: string;
  readonly say: string;
}
export declare function refusedInName(name: string, path: string): Refused | undefined;
export declare function refusedInText(text: string, path: string): Refused | undefined;
