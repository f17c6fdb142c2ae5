import { parseOptions } from "@jaf/memory";
import * as z from "zod";
import type { Middleware } from "./middleware.ts";

const hook = z.custom<unknown>((value) => typeof value === "function", { error: "expected a function" });

const middlewareSchema = z.array(
  z.looseObject({ name: z.string().min(1), onStart: hook.optional(), onFinish: hook.optional() }),
);

/** The list as it is. Throws a `TypeError` that begins with `what` for what is no list of middleware. */
export function checkMiddleware<Ctx>(
  list: readonly Middleware<Ctx>[],
  what: string,
): readonly Middleware<Ctx>[] {
  parseOptions(middlewareSchema, list, what);
  return list;
}
