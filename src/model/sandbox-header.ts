/**
 * How the sandbox says what it is: a header of every answer, because its bodies are those of the
 * service it stands in for.
 */
export const SANDBOX_HEADER = "x-chirpwatch-sandbox";
