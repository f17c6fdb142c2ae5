import { describeTurnLogConformance } from "../../src/testing/index.ts";
import { createInMemoryTurnLog } from "../../src/turn-log/in-memory.ts";

describeTurnLogConformance({
  name: "in memory",
  createLog: async () => {
    const log = createInMemoryTurnLog();
    return { log, dispose: async () => void (await log.close()) };
  },
});
