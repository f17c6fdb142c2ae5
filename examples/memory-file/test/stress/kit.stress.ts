import { describeMemoryProvider } from "@jaf/memory/testing";
import { openFileProvider } from "../../src/provider.ts";
import { createCuttableDisk } from "../support/cuttable-disk.ts";
import { makeFolder } from "../support/folder.ts";

describeMemoryProvider({
  name: "file",
  capabilities: {
    multipleConnections: { unsupported: "only one process at a time can use a folder" },
    digests: { unsupported: "the sums in its logs detect changes when a folder is opened" },
  },
  createStore: async () => {
    const { path: folder, remove } = await makeFolder();
    let disk = createCuttableDisk();
    const open = () => openFileProvider({ folder, compactAfterLines: 20 }, disk.openFolder);
    const crash = async () => {
      await disk.cut();
      disk = createCuttableDisk();
      return open();
    };
    return { provider: await open(), crash, dispose: () => disk.cut().then(remove) };
  },
});
