import { expect } from "vitest";
import { createPostgresTimers } from "../../src/index.ts";
import { describeMigrationsOf } from "../support/migrations.ts";

describeMigrationsOf({
  group: "timers",
  journal: "timer_migrations",
  table: "timers",
  create: createPostgresTimers,
  use: async (timers) => {
    const timer = { conversationId: "c", timerId: "t", userId: "u", at: new Date(5), content: "x" };
    expect(await timers.set(timer)).toEqual({ success: true, data: "set" });
    expect(await timers.due()).toEqual({ success: true, data: [timer] });
    expect(await timers.deleteUser("u")).toEqual({ success: true, data: 1 });
  },
});
