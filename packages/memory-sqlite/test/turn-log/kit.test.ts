import { defineMemoryProvider, defineTurnLog } from "@jaf/memory/adapter";
import { describeTurnLogConformance } from "@jaf/memory/testing";
import { createConversationBackend } from "../../src/conversations/backend.ts";
import { createTurnLogBackend } from "../../src/turn-log/turn-log.ts";
import { contentsOf } from "../support/contents.ts";
import { makeFile } from "../support/folder.ts";
import { openCuttable } from "../support/stores.ts";

const staysOpen = async (): Promise<void> => {};

describeTurnLogConformance({
  name: "sqlite",
  createLog: async () => {
    const { file, remove } = await makeFile();
    const { connect, cut } = await openCuttable(file);
    const database = await connect();
    return {
      log: defineTurnLog(createTurnLogBackend(database, staysOpen)),
      provider: defineMemoryProvider(createConversationBackend(database, staysOpen)),
      connect: async () => defineTurnLog(createTurnLogBackend(await connect(), staysOpen)),
      contents: () => contentsOf(file, ["turns", "turn_events"]),
      dispose: async () => {
        cut();
        await remove();
      },
    };
  },
});
