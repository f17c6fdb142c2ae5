/**
 * An error whose message is for the user. Throw it in your own code, e.g. in a tool, in middleware, or in the server
 * options `context` and `authenticate`. If it makes a turn or a request fail, the server sends its message to the
 * client. For any other error, the server sends a generic text, because messages can hold secrets.
 *
 * @example
 * ```ts
 * import { createTool, UserFacingError } from "@jaf/core";
 * import * as z from "zod";
 *
 * declare const stock: ReadonlyMap<string, number>;
 *
 * export const order = createTool({
 *   name: "order",
 *   description: "Orders fruit.",
 *   parameters: z.object({ fruit: z.string() }),
 *   execute: async ({ fruit }) => {
 *     if (!stock.has(fruit)) throw new UserFacingError("We don't sell this fruit.");
 *     return "It is ordered.";
 *   },
 * });
 * ```
 */
export class UserFacingError extends Error {
  override readonly name: string = "UserFacingError";
}
