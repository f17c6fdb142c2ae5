import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { describeUserMemory, describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { mapFacts, type UserMemoryBackend } from "../../src/adapter/index.ts";
import { createInMemoryUserMemoryBackend } from "../../src/in-memory/backend.ts";
import { defineUserMemory } from "../../src/store/define-user-memory.ts";

const key = randomBytes(32);
const NONCE = 12;
const TAG = 16;

/** A codec with different results for the same text, bound to the user. */
const encrypted = (backend: UserMemoryBackend): UserMemoryBackend =>
  mapFacts(backend, {
    encode: async (text, { hash }) => {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(hash));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
    },
    decode: async (text, { hash }) => {
      const bytes = Buffer.from(text, "base64");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE));
      decipher.setAAD(Buffer.from(hash)).setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString("utf8");
    },
  });

describeUserMemoryBackend("in-memory, encrypted", async () => {
  const backend = encrypted(createInMemoryUserMemoryBackend());
  return { backend, close: () => backend.close() };
});

describeUserMemory("in-memory, encrypted", async () => {
  const backend = encrypted(createInMemoryUserMemoryBackend());
  const memory = defineUserMemory(backend);
  return { memory, backend, close: () => memory.close() };
});
