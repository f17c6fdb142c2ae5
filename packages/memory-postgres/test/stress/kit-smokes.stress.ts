import { defineMemoryProvider, type MemoryBackend, mapMessages } from "@jaf/memory/adapter";
import { describeMemoryProvider } from "@jaf/memory/testing";
import { createPostgresBackend } from "../../src/index.ts";
import { connectClient, connectPool, createSchemas } from "../support/stores.ts";

// The whole kit runs on a pool. These differ from it in the client, in where the rows lie, or in the text of messages.
describeMemoryProvider({ name: "postgres, one client", rules: "smoke", ...createSchemas(connectClient) });

describeMemoryProvider({
  name: "postgres, 4 partitions",
  rules: "smoke",
  ...createSchemas((schema) => connectPool(schema, { partitions: 4 })),
});

/** Keeps every message the wrong way round. */
function reversed(backend: MemoryBackend): MemoryBackend {
  const reverse = (text: string) => [...text].toReversed().join("");
  return mapMessages(backend, { encode: reverse, decode: reverse });
}

describeMemoryProvider({
  name: "postgres, behind a wrapper that reverses every text",
  rules: "smoke",
  ...createSchemas((schema) =>
    connectPool(schema, {}, async (config, pool) =>
      defineMemoryProvider(reversed(await createPostgresBackend(config, pool))),
    ),
  ),
});
