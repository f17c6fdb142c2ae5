import * as z from "zod";

/** The schema of a function that an application passes as an option. */
export const callback = z.custom<never>((value) => typeof value === "function", {
  error: "expected a function",
});
