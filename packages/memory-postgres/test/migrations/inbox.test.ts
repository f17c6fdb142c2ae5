import { expect } from "vitest";
import { createPostgresInbox } from "../../src/index.ts";
import { describeMigrationsOf } from "../support/migrations.ts";

describeMigrationsOf({
  group: "inbox",
  journal: "inbox_migrations",
  table: "inbox_entries",
  create: createPostgresInbox,
  use: async (inbox) => {
    const put = await inbox.put({ conversationId: "c", userId: "u", key: "k", content: "x" });
    expect(put).toMatchObject({ data: { isNew: true } });
    expect(await inbox.deleteUser("u")).toEqual({ success: true, data: 1 });
  },
});
