import { idIssue, parseOptions } from "@jaf/memory/engine";
import * as z from "zod";
import type { MaybeRemembers, RemembersSpec } from "./remembers.ts";

const autoOrNot = z.union([z.literal("auto"), z.literal(false)], { error: 'expected "auto" or false' });

const remembersSchema = z.strictObject({
  user: z
    .unknown()
    .refine((user) => !user || idIssue("user", user) === undefined, {
      error: "expected the id of a user, or a falsy value for nobody",
    })
    .optional(),
  inject: autoOrNot.optional(),
  extract: z
    .union([z.literal("auto"), z.literal("verbatim"), z.literal(false)], {
      error: 'expected "auto", "verbatim" or false',
    })
    .optional(),
  extractWith: z.string().min(1).optional(),
  tags: z.array(z.string().min(1)).optional(),
  injectLimit: z.int().min(1).optional(),
  injectTokenBudget: z.int().min(1).optional(),
  injectPlacement: z
    .enum(["instructions", "before-newest-message"], {
      error: 'expected "instructions" or "before-newest-message"',
    })
    .optional(),
});

/**
 * What is to be remembered, `undefined` if nothing: where nothing is declared, and where the user is nobody. Throws a
 * `TypeError` that names the field.
 */
export function parseRemembers(declared: MaybeRemembers, what: string): RemembersSpec | undefined {
  if (!declared) return undefined;
  parseOptions(remembersSchema, declared, what);
  return declared.user ? (declared as RemembersSpec) : undefined;
}
