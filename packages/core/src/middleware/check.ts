import { parseOptions } from "@jaf/memory/engine";
import * as z from "zod";
import { functionSchema } from "../function-schema.ts";
import { textOfThrown } from "../thrown.ts";
import type { Middleware } from "./middleware.ts";

const middlewareSchema = z.array(
  z.looseObject({
    name: z.string().min(1),
    onStart: functionSchema.optional(),
    onFinish: functionSchema.optional(),
    wrapModelCall: functionSchema.optional(),
    wrapToolCall: functionSchema.optional(),
  }),
);

/** The list as it is. Throws a `TypeError` that begins with `what` for what is no list of middleware. */
export function checkMiddleware<Ctx>(
  list: readonly Middleware<Ctx>[],
  what: string,
): readonly Middleware<Ctx>[] {
  parseOptions(middlewareSchema, list, what);
  return list;
}

/** What is wrong with a list of middleware, where there is one. */
export function middlewareFault<Ctx>(
  list: readonly Middleware<Ctx>[] | undefined,
  what: string,
): string | undefined {
  if (list === undefined) return undefined;
  try {
    checkMiddleware(list, what);
    return undefined;
  } catch (thrown) {
    return textOfThrown(thrown);
  }
}
