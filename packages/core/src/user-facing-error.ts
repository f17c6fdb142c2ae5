/**
 * An error whose message is for the user. Throw it from your own code, e.g. a tool, middleware, or the `context` and
 * `authenticate` of a server. A server sends the message to the client, in place of a generic text. Texts of other errors can
 * hold secrets, so a server only logs them.
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
