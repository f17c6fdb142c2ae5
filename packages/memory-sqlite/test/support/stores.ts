import { pathToFileURL } from "node:url";
import { defineMemoryProvider } from "@jaf/memory/adapter";
import type { ProviderProcess, TestStore } from "@jaf/memory/testing";
import { bundleProcess } from "../../../../test/process-bundle.ts";
import { findDriver } from "../../src/client/driver.ts";
import { createConversationBackend } from "../../src/conversations/backend.ts";
import { openDatabase } from "../../src/database.ts";
import { makeFile } from "./folder.ts";
import { tamperIn } from "./tamper.ts";

const processModule = pathToFileURL(await bundleProcess(new URL("./provider-process.ts", import.meta.url)));

const processAt = (file: string): ProviderProcess => ({ module: processModule, argument: file });

/** Opens files with the driver of this Node version, in connections that can be cut. */
export async function openCuttable(file: string) {
  const openHandle = await findDriver("test");
  const handles: { readonly close: () => void }[] = [];
  return {
    connect: async () => {
      const database = await openDatabase(file, "test", (path) => {
        const handle = openHandle(path);
        handles.push(handle);
        return handle;
      });
      return database;
    },
    /** Closes the connections under the stores that use them. */
    cut: () => {
      for (const handle of handles.splice(0)) handle.close();
    },
  };
}

/** Creates a file for one test, to which each provider has a connection of its own. */
export async function createStore(): Promise<TestStore> {
  const { file, remove } = await makeFile();
  const { connect, cut } = await openCuttable(file);
  const open = async () => {
    const database = await connect();
    return defineMemoryProvider(createConversationBackend(database, async () => {}));
  };
  const crash = async () => {
    cut();
    return open();
  };
  const dispose = async () => {
    cut();
    await remove();
  };
  return {
    provider: await open(),
    connect: open,
    crash,
    process: processAt(file),
    tamper: tamperIn(file),
    dispose,
  };
}
