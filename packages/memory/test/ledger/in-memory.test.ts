import { describeLedgerConformance } from "@jaf/memory/testing";
import { createInMemoryLedger } from "../../src/index.ts";

const DAY_MS = 86_400_000;

describeLedgerConformance({
  name: "in-memory",
  createLedger: async () => {
    let ahead = 0;
    const ledger = createInMemoryLedger({ now: () => new Date(Date.now() + ahead * DAY_MS) });
    const age = async (days: number) => {
      ahead += days;
    };
    return { ledger, age, dispose: async () => void (await ledger.close()) };
  },
});
