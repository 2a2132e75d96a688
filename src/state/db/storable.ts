/**
 * Converts a value from SQLite to one that Postgres accepts. SQLite stores any number and text, but
 * the columns on Postgres hold only whole numbers and text without NUL.
 */
export function storable<Value>(value: Value): Value | number | string {
  if (typeof value === "number")
    return Number.isFinite(value) ? Math.round(value) : Math.sign(value) * Number.MAX_SAFE_INTEGER;
  return typeof value === "string" && value.includes("\0")
    ? value.replaceAll("\0", "\uFFFD")
    : value;
}
