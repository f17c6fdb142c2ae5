import { defineInbox } from "@jaf/memory/adapter";
import { describeInboxConformance } from "@jaf/memory/testing";
import { findDriver } from "../../src/client/driver.ts";
import { createInboxBackend } from "../../src/inbox/inbox.ts";
import { contentsOf } from "../support/contents.ts";
import { makeFile } from "../support/folder.ts";
import { openCuttable } from "../support/stores.ts";

const staysOpen = async (): Promise<void> => {};

describeInboxConformance({
  name: "sqlite",
  createInbox: async () => {
    const { file, remove } = await makeFile();
    const { connect, cut } = await openCuttable(file);
    const another = async () => defineInbox(createInboxBackend(await connect(), staysOpen));
    return {
      inbox: await another(),
      connect: another,
      age: async (seconds) => {
        const handle = (await findDriver("test"))(file);
        handle.exec(`UPDATE inbox_keys SET put_at = put_at - ${seconds * 1_000}`);
        handle.close();
      },
      contents: () => contentsOf(file, ["inboxes", "inbox_entries", "inbox_keys"]),
      dispose: async () => {
        cut();
        await remove();
      },
    };
  },
});
