import * as z from "zod";

const isFunction = (value: unknown): boolean => typeof value === "function";

/** A function, as it is: neither wrapped nor bound. */
export const functionSchema = z.custom<unknown>(isFunction, { error: "expected a function" });
