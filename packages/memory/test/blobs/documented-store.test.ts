import { readFileSync } from "node:fs";
import { describeBlobStoreConformance } from "@jaf/memory/testing";
import { describe, expect, it } from "vitest";
import { declareMediaRules } from "../../../../test/media/media-rules.ts";
import { createInMemoryProvider } from "../../src/index.ts";
import { type Bucket, createBucketBlobStore } from "./bucket-blob-store.ts";

/** Like S3: each call takes a moment and is atomic. */
function createBucket(): Bucket {
  const objects = new Map<string, { readonly body: Uint8Array; readonly modifiedAt: Date }>();
  const moment = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    put: async (key, body) => {
      const copy = new Uint8Array(body);
      await moment();
      objects.set(key, { body: copy, modifiedAt: new Date() });
    },
    get: async (key) => {
      await moment();
      const body = objects.get(key)?.body;
      return body === undefined ? undefined : new Uint8Array(body);
    },
    delete: async (key) => {
      await moment();
      objects.delete(key);
    },
    list: async (prefix) => {
      await moment();
      return [...objects]
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, { body, modifiedAt }]) => ({ key, size: body.byteLength, modifiedAt }));
    },
  };
}

describeBlobStoreConformance({
  name: "the bucket of docs/media.md",
  createStore: async () => {
    const bucket = createBucket();
    const connect = async () => createBucketBlobStore(bucket);
    return { store: await connect(), connect, dispose: async () => {} };
  },
});

describe("media in the bucket of docs/media.md", () => {
  declareMediaRules(async () => ({
    store: createInMemoryProvider(),
    blobs: createBucketBlobStore(createBucket()),
    dispose: async () => {},
  }));
});

it("equals the code in docs/media.md", () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  expect(read("../../../../docs/media.md")).toContain(read("./bucket-blob-store.ts"));
});
