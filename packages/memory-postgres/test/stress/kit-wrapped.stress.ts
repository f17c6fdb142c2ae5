import { defineMemoryProvider, type MemoryBackend, mapMessages } from "@jaf/memory/adapter";
import { describeMemoryProvider } from "@jaf/memory/testing";
import { createPostgresBackend } from "../../src/index.ts";
import { connectPool, createSchemas } from "../support/stores.ts";

/** A wrapper that stores every message in reverse. */
function reversed(backend: MemoryBackend): MemoryBackend {
  const reverse = (text: string) => [...text].toReversed().join("");
  return mapMessages(backend, { encode: reverse, decode: reverse });
}

const connect = (schema: string) =>
  connectPool(schema, {}, async (config, pool) =>
    defineMemoryProvider(reversed(await createPostgresBackend(config, pool))),
  );

describeMemoryProvider({
  name: "postgres, behind a wrapper that reverses every text",
  ...createSchemas(connect),
});
