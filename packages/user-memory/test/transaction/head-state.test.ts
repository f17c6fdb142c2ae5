import { expect, test } from "vitest";
import { userKeyOf } from "../../src/backend.ts";
import { createInMemoryUserMemoryBackend } from "../../src/in-memory/backend.ts";
import { defineUserMemory } from "../../src/store/define-user-memory.ts";

test("a damaged head is reported as a storage error until the user is erased", async () => {
  const backend = createInMemoryUserMemoryBackend();
  const memory = defineUserMemory(backend);
  const user = userKeyOf("alice");
  await memory.remember("alice", "I like tea", { quotation: { from: "message" } });
  const { head } = await backend.read(user, {});
  if (head === null) throw new Error("there is no head");
  const unchanged = { put: [], drop: [], tombstones: [], removedTombstones: [], audit: [] };
  const damaged = { ...head, version: head.version + 1, state: '{"facts":1,"drawn":[]}' };
  expect(await backend.commit(user, { expectedVersion: head.version, head: damaged, ...unchanged })).toBe(
    true,
  );

  const failures = {
    recall: () => memory.recall("alice", "tea"),
    remember: () => memory.remember("alice", "I like coffee"),
    verifyAudit: () => memory.verifyAudit("alice"),
  };
  for (const [operation, fails] of Object.entries(failures)) {
    const error = { name: "UserMemoryError", code: "storage", operation };
    await expect(fails(), operation).rejects.toMatchObject(error);
  }
  await memory.forgetAll("alice");
  await memory.remember("alice", "I like coffee");
  expect(await memory.recall("alice", "coffee")).toMatchObject([{ fact: "I like coffee" }]);
});

test("a head in a newer release's format is left as it is", async () => {
  const backend = createInMemoryUserMemoryBackend();
  const memory = defineUserMemory(backend);
  const user = userKeyOf("alice");
  await memory.remember("alice", "I like tea", { quotation: { from: "message" } });
  const { head } = await backend.read(user, {});
  if (head === null) throw new Error("there is no head");
  const unchanged = { put: [], drop: [], tombstones: [], removedTombstones: [], audit: [] };
  const state = JSON.stringify({ ...JSON.parse(head.state), format: 2, more: 1 });
  const newer = { ...head, version: head.version + 1, state };
  expect(await backend.commit(user, { expectedVersion: head.version, head: newer, ...unchanged })).toBe(true);
  const error = { name: "UserMemoryError", code: "storage", retryable: false };
  await expect(memory.remember("alice", "I like coffee")).rejects.toMatchObject(error);
  expect((await backend.read(user, {})).head).toEqual(newer);
});
