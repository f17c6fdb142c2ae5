import { defineUserMemory } from "@jaf/user-memory/adapter";
import type { BackendFactory, StoreFactory } from "@jaf/user-memory/testing";
import { findDriver } from "../../src/client/driver.ts";
import { createUserMemoryBackend } from "../../src/user-memory/user-memory.ts";
import { makeFile } from "./folder.ts";
import { openCuttable } from "./stores.ts";

const TABLES = ["fact_heads", "facts", "fact_terms", "fact_tombstones", "fact_audit", "fact_jobs"];

/** Everything that the tables of user memory contain, as JSON. */
async function dumpOf(file: string): Promise<string> {
  const handle = (await findDriver("test"))(file);
  const rows = TABLES.flatMap((table) => handle.prepare(`SELECT * FROM ${table}`).all());
  handle.close();
  return JSON.stringify(rows);
}

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
    dump: () => dumpOf(file),
    close,
  };
};
