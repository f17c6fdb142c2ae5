import { expect, it } from "vitest";
import { createPostgresCacheAdapter, createPostgresTurnLog, type PostgresClient } from "../src/index.ts";

const factories = { createPostgresCacheAdapter, createPostgresTurnLog };

it.each(Object.entries(factories))(
  "%s refuses anything but a client, and opens no pool",
  async (name, create) => {
    for (const none of [undefined, null, "postgres://"]) {
      const created = create({}, none as unknown as PostgresClient);
      await expect(created).rejects.toThrow(TypeError);
      await expect(created).rejects.toThrow(`${name}: expected a Pool`);
    }
  },
);
