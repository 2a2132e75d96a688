/**
 * Parts that the schemas of the API's JSON share. The schemas are loaded only for the API's
 * description, not to answer requests; other rooms import nothing but their types.
 */
import { z } from "zod";
import type { Json, JsonObject } from "../../model/json.ts";
import { DELIVERY_STATES } from "../../model/history.ts";
import { PRIORITIES } from "../../model/schedule.ts";

/** Creates the schema of a read-only list. */
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/** The cursor of the next page of a list. */
export const nextSchema = z
  .string()
  .nullable()
  .describe("The `cursor` of the next request; null at the end.");

export const jsonSchema = z.custom<Json>((value) => value !== undefined);
export const jsonObjectSchema = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);
export const prioritySchema = z.enum(PRIORITIES);
export const deliveryOutcomeSchema = z.enum(DELIVERY_STATES).meta({ id: "DeliveryState" });
