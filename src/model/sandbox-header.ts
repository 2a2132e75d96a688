/**
 * The header by which the sandbox identifies itself in every answer, because its bodies are the
 * same as those of the service that it replaces.
 */
export const SANDBOX_HEADER = "x-chirpwatch-sandbox";
