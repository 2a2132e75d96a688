/**
 * Compiles the regular expressions of matchers, on an engine that runs in linear time. It has its
 * own file, because the engine is large and few modules need it.
 */
import { RE2JS } from "re2js";
import type { CompilePattern } from "./matcher.ts";

export const compilePattern: CompilePattern = (text) => {
  try {
    const pattern = RE2JS.compile(text, RE2JS.DOTALL);
    return (value) => pattern.matches(value);
  } catch (error) {
    // Remove the flag from the message: we added it, the user did not write it.
    return (error instanceof Error ? error.message : String(error)).replace("`(?s)", "`");
  }
};
