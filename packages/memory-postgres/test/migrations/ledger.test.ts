import { expect } from "vitest";
import { createPostgresLedger } from "../../src/index.ts";
import { describeMigrationsOf } from "../support/migrations.ts";

describeMigrationsOf({
  group: "ledger",
  journal: "ledger_migrations",
  table: "ledger",
  create: createPostgresLedger,
  use: async (ledger) => {
    const recorded = await ledger.record([{ userId: "u", agentName: "agent", model: "model", cost: 1 }]);
    expect(recorded).toMatchObject({ success: true });
    expect(await ledger.eraseUser("u")).toEqual({ success: true, data: 1 });
  },
});
