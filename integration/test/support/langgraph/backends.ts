import { inject } from "vitest";
import type { Address } from "./address.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

/** A new, empty place on each server. */
export const addresses: readonly (readonly [name: string, create: () => Address])[] = [
  ["Redis", () => ({ type: "redis", url: inject("redisUrl"), keyPrefix: `test:${crypto.randomUUID()}:` })],
  [
    "Postgres",
    () => ({
      type: "postgres",
      connectionString: inject("pgUrl"),
      schema: `test_${crypto.randomUUID().replaceAll("-", "")}`,
    }),
  ],
];
