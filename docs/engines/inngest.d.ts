/**
 * What the recipe of `docs/queues.md` uses of Inngest's SDK 4.24.0. The SDK has 321 packages and 259 MB, too many to
 * install for a recipe.
 */

declare module "inngest" {
  interface FunctionOptions {
    readonly id: string;
    readonly triggers: { readonly event: string };
    readonly retries?: 0 | 1 | 2 | 3 | 4 | 5 | 10 | 20;
    readonly singleton?: { readonly key?: string; readonly mode: "skip" | "cancel" };
    readonly concurrency?: { readonly key?: string; readonly limit: number };
    readonly priority?: { readonly run?: string };
  }
  interface EventPayload {
    readonly name: string;
    readonly data: object;
    /** When the function begins, in ms since 1970. */
    readonly ts?: number;
  }
  export interface InngestFunction {
    readonly id: string;
  }
  export class Inngest {
    constructor(options: { readonly id: string });
    send(payload: EventPayload): Promise<unknown>;
    createFunction(
      options: FunctionOptions,
      handler: (context: { readonly event: { readonly data: unknown } }) => Promise<unknown>,
    ): InngestFunction;
  }
  export class RetryAfterError extends Error {
    constructor(message: string, retryAfter: string | number | Date, options?: { readonly cause?: unknown });
  }
}

declare module "inngest/connect" {
  import type { Inngest, InngestFunction } from "inngest";
  export function connect(options: {
    readonly apps: readonly { readonly client: Inngest; readonly functions: readonly InngestFunction[] }[];
    readonly maxWorkerConcurrency?: number;
    readonly handleShutdownSignals?: readonly string[];
  }): Promise<{ readonly close: () => Promise<void> }>;
}
