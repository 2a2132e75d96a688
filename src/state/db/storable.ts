/**
 * Converts a value to what Postgres stores. SQLite takes any number and text; the tables mean whole
 * numbers and texts without NUL.
 */
export function storable<Value>(value: Value): Value | number | string {
  if (typeof value === "number")
    return Number.isFinite(value) ? Math.round(value) : Math.sign(value) * Number.MAX_SAFE_INTEGER;
  return typeof value === "string" && value.includes("\0")
    ? value.replaceAll("\0", "\uFFFD")
    : value;
}
