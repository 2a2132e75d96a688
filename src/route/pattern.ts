/**
 * Regular expressions of matchers, on an engine that answers in linear time. A file of its own,
 * because the engine is large and few need it.
 */
import { RE2JS } from "re2js";
import type { CompilePattern } from "./matcher.ts";

export const compilePattern: CompilePattern = (text) => {
  try {
    const pattern = RE2JS.compile(text, RE2JS.DOTALL);
    return (value) => pattern.matches(value);
  } catch (error) {
    // The flag is our own, not what was written.
    return (error instanceof Error ? error.message : String(error)).replace("`(?s)", "`");
  }
};
