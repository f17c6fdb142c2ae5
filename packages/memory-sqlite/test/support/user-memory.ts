import { defineUserMemory } from "@jaf/user-memory/adapter";
import type { BackendFactory, StoreFactory } from "@jaf/user-memory/testing";
import { createUserMemoryBackend } from "../../src/user-memory/user-memory.ts";
import { contentsOf } from "./contents.ts";
import { makeFile } from "./folder.ts";
import { openCuttable } from "./stores.ts";

const TABLES = ["fact_heads", "facts", "fact_terms", "fact_tombstones", "fact_audit", "fact_jobs"];

async function open() {
  const { file, remove } = await makeFile();
  const { connect, cut } = await openCuttable(file);
  const another = async () => createUserMemoryBackend(await connect(), async () => {});
  const close = async () => {
    cut();
    await remove();
  };
  return { file, another, close };
}

/** A file for each test, to which each backend has a connection of its own. */
export const createBackends: BackendFactory = async () => {
  const { another, close } = await open();
  return { backend: await another(), another, close };
};

export const createStores: StoreFactory = async () => {
  const { file, another, close } = await open();
  const backend = await another();
  return {
    memory: defineUserMemory(backend),
    backend,
    another: async () => defineUserMemory(await another()),
    dump: () => contentsOf(file, TABLES),
    close,
  };
};
