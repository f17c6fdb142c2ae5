import { createClient } from "redis";
import { expect, inject, it } from "vitest";
import { parseConfig } from "../src/config.ts";
import { openStore } from "../src/open-store.ts";

it("an opened store keeps neither the server's address nor the credentials", async () => {
  const client = await createClient({ url: inject("redisUrl") }).connect();
  const settings = parseConfig({ host: "redis.internal", username: "u", password: "secret" });
  const url = inject("redisUrl");
  const opened = await openStore({ settings: parseConfig({ url }), operation: "test" });
  const given = await openStore({ settings, client, operation: "test" });
  for (const store of [opened, given]) {
    expect(Object.keys(store).sort()).toEqual([
      "close",
      "commandTimeoutMs",
      "keyPrefix",
      "minReplicas",
      "port",
    ]);
    expect(store.port).toMatchObject({ isCluster: false });
    await store.close();
  }
  await client.close();
});
