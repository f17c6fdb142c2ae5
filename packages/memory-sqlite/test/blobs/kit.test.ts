import { defineBlobStore, defineMemoryProvider } from "@jaf/memory/adapter";
import { describeBlobStoreConformance } from "@jaf/memory/testing";
import { describe } from "vitest";
import { declareMediaRules } from "../../../../test/media/media-rules.ts";
import { createBlobBackend } from "../../src/blobs/blob-store.ts";
import { createConversationBackend } from "../../src/conversations/backend.ts";
import { makeFile } from "../support/folder.ts";
import { openCuttable } from "../support/stores.ts";

const staysOpen = async (): Promise<void> => {};

async function open() {
  const { file, remove } = await makeFile();
  const { connect, cut } = await openCuttable(file);
  const dispose = async () => {
    cut();
    await remove();
  };
  return { connect, dispose };
}

describeBlobStoreConformance({
  name: "sqlite",
  createStore: async () => {
    const { connect, dispose } = await open();
    const another = async () => defineBlobStore(createBlobBackend(await connect(), staysOpen));
    return { store: await another(), connect: another, dispose };
  },
});

describe("media in a SQLite file", () =>
  declareMediaRules(async () => {
    const { connect, dispose } = await open();
    const database = await connect();
    return {
      store: defineMemoryProvider(createConversationBackend(database, staysOpen)),
      blobs: defineBlobStore(createBlobBackend(database, staysOpen)),
      dispose,
    };
  }));
