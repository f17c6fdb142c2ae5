import { expect, inject, it } from "vitest";
import { createRedisUserMemory } from "../../src/user-memory/index.ts";
import { freshPrefix } from "../support/stores.ts";

it.each([8, 16, 64])("all of %i facts that are remembered at once for one user are stored", async (count) => {
  const config = { url: inject("redisUrl"), keyPrefix: freshPrefix() };
  const stores = [await createRedisUserMemory(config), await createRedisUserMemory(config)];
  await Promise.all(
    stores.flatMap((memory, store) =>
      Array.from({ length: count }, (_, n) => memory.remember("u", `Owns car ${n} of house ${store}`)),
    ),
  );
  expect(await stores[0]?.verifyAudit("u")).toMatchObject({ ok: true, facts: 2 * count });
  await Promise.all(stores.map((memory) => memory.close()));
});
