/** Endpoints that look up ids and handles, and the key's own quota. */
import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { id, link, username } from "../inputs.ts";
import { readHandle, readResolvedId } from "../normalise/account.ts";
import { readKeyUsage } from "../normalise/key-usage.ts";
import { handleOutput, idOutput, keyUsageOutput } from "../output/facts.ts";

const withId = { kind: "record", read: readResolvedId } as const;

export const lookupEndpoints = {
  "id-to-username": {
    method: "GET",
    path: "/id-to-username/{user_id}",
    doc: "The handle an account has now.",
    input: z.strictObject({ user_id: id }),
    output: handleOutput,
    answer: { kind: "record", read: readHandle },
    billed: true,
  },
  "username-to-id": {
    method: "GET",
    path: "/username-to-id/{handle}",
    doc: "The stable id behind a handle.",
    input: z.strictObject({ handle: username }),
    output: idOutput,
    answer: withId,
    billed: true,
  },
  "link-to-id": {
    method: "GET",
    path: "/link-to-id",
    doc: "The id behind a link.",
    input: z.strictObject({ link }),
    output: idOutput,
    answer: withId,
    billed: true,
  },
  "key-usage-info": {
    method: "GET",
    path: "/key-usage-info",
    doc: "What is left of the key's quota; not billed. Numbers are null when they cannot be read: unknown is not 0.",
    input: z.strictObject({}),
    output: keyUsageOutput,
    answer: {
      kind: "record",
      read: readKeyUsage,
    },
    billed: false,
  },
} as const satisfies Record<string, Endpoint>;
