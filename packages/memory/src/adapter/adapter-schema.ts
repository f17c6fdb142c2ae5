import * as z from "zod";
import { parseOptions } from "../codec/schema-issues.ts";
import type { MemoryAdapter } from "./adapter.ts";

/** Restricts types, so that a type can only form the name of a package by the convention. */
export const ADAPTER_TYPE = /^[a-z][a-z0-9-]{0,49}$/;

export const ADAPTER_TYPE_RULE =
  "a lower-case letter, then up to 49 lower-case letters, digits and hyphens, e.g. memory, redis or postgres";

const variableSchema = z.strictObject({
  field: z.string().min(1),
  format: z.enum(["text", "number", "boolean"]).optional(),
  secret: z.boolean().optional(),
  recommended: z.boolean().optional(),
  replacedBy: z.string().optional(),
});

const isSchema = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "safeParseAsync" in value &&
  typeof value.safeParseAsync === "function";

const adapterSchema = z.object({
  type: z.string().regex(ADAPTER_TYPE, { error: `expected ${ADAPTER_TYPE_RULE}` }),
  configSchema: z.custom(isSchema, { error: "expected a zod schema" }),
  environment: z.record(
    z.string().regex(/^[A-Z][A-Z0-9_]*$/, { error: "expected names such as JAF_FILE_FOLDER" }),
    variableSchema,
  ),
  create: z.custom((value) => typeof value === "function", { error: "expected a function" }),
});

/** Throws a `TypeError` that names the fields which don't match {@link MemoryAdapter}. */
export function parseAdapter(value: unknown): MemoryAdapter {
  parseOptions(adapterSchema, value, "memory adapter");
  return value as MemoryAdapter; // The same object: its methods may need it as `this`.
}
