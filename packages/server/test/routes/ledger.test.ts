import { UserFacingError } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createFailure, createInMemoryLedger, createMemoryStorageError, type Ledger } from "@jaf/memory";
import { createJafClient } from "@jaf/server/client";
import { describe, expect, it, vi } from "vitest";
import { startTestServer } from "../support/test-server.ts";

const usage = { inputTokens: 2_000, outputTokens: 100, cachedInputTokens: 0 };
const model = () => createScriptedModel<unknown>(() => ({ text: "Hi.", usage }));

describe("GET /ledger", () => {
  it("reports the user's own sums", async () => {
    const { ask } = await startTestServer(model(), {}, undefined, {
      ledger: { store: createInMemoryLedger() },
    });
    for (const user of ["ada", "ada", "bob"]) await ask(user, "POST", "/chat", { message: "Hi" });
    const { rows } = (await ask("ada", "GET", "/ledger?by=agent,cacheMiss")).body.data;
    expect(rows).toEqual([
      {
        ...{ agent: "assistant", cacheMiss: "first-call", calls: 2, cost: 0 },
        ...{ inputTokens: 4_000, outputTokens: 200, cachedInputTokens: 0 },
        ...{ cacheWriteTokens: 0, reasoningTokens: 0 },
      },
    ]);
    const byDay = (await ask("ada", "GET", "/ledger")).body.data.rows;
    expect(byDay).toMatchObject([{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), calls: 2 }]);
    expect((await ask("ada", "GET", "/ledger?from=2020-01-01&to=2020-02-01")).body.data.rows).toEqual([]);
  });

  it.each(["by=user", "by=", "by=day,day", "from=yesterday", "limit=0", "by=tenant"])(
    "refuses ?%s",
    async (query) => {
      const { ask } = await startTestServer(model(), {}, undefined, {
        ledger: { store: createInMemoryLedger() },
      });
      expect((await ask("ada", "GET", `/ledger?${query}`)).status).toBe(400);
    },
  );

  it("never reports another user's sums", async () => {
    const { ask } = await startTestServer(model(), {}, undefined, {
      ledger: { store: createInMemoryLedger() },
    });
    await ask("ada", "POST", "/chat", { message: "Hi" });
    expect((await ask("bob", "GET", "/ledger?userId=ada")).body.data.rows).toEqual([]);
  });

  it("is not configured without a ledger", async () => {
    const { ask } = await startTestServer(model());
    for (const path of ["/ledger", "/ledger/all"])
      expect(await ask("ada", "GET", path)).toMatchObject({
        ...{ status: 404, body: { error: { code: "not-configured" } } },
      });
  });
});

describe("GET /ledger/all", () => {
  it("is for users that mayReadLedger allows", async () => {
    const mayReadLedger = vi.fn(({ userId }: { readonly userId: string }) => {
      if (userId === "eve") throw new UserFacingError("Ask an operator.");
      return userId === "operator";
    });
    const { ask } = await startTestServer(model(), { mayReadLedger }, undefined, {
      ledger: { store: createInMemoryLedger(), tenant: "acme" },
    });
    for (const user of ["ada", "bob"]) await ask(user, "POST", "/chat", { message: "Hi" });
    const all = "/ledger/all?by=user,tenant";
    const { rows } = (await ask("operator", "GET", all)).body.data;
    expect(rows.map(({ user, tenant }: Record<string, string>) => [user, tenant]).toSorted()).toEqual([
      ["ada", "acme"],
      ["bob", "acme"],
    ]);
    expect((await ask("operator", "GET", `${all}&userId=ada`)).body.data.rows).toHaveLength(1);
    expect(await ask("ada", "GET", all)).toMatchObject({
      status: 403,
      body: { error: { code: "forbidden" } },
    });
    expect((await ask("eve", "GET", all)).body.error.message).toBe("Ask an operator.");
  });

  it("is for no user by default", async () => {
    const { ask } = await startTestServer(model(), {}, undefined, {
      ledger: { store: createInMemoryLedger() },
    });
    expect((await ask("ada", "GET", "/ledger/all")).status).toBe(403);
  });
});

describe("a budget on the server", () => {
  it("ends the turn with its own code when it is used up", async () => {
    const { ask } = await startTestServer(model(), {}, undefined, {
      ledger: { store: createInMemoryLedger() },
      budget: { user: { maxTokens: 2_100 } },
    });
    await ask("ada", "POST", "/chat", { message: "Hi" });
    expect((await ask("ada", "POST", "/chat", { message: "Hi" })).body.data).toMatchObject({
      status: "error",
      error: {
        code: "BudgetExceeded",
        message: "The budget of the user for this day is used up: 2100 of 2100 (maxTokens).",
      },
    });
    expect((await ask("bob", "POST", "/chat", { message: "Hi" })).body.data.status).toBe("completed");
  });

  it("isn't reset when the user deletes everything", async () => {
    const { ask } = await startTestServer(model(), {}, undefined, {
      ledger: { store: createInMemoryLedger() },
      budget: { user: { maxTokens: 2_100 } },
    });
    await ask("ada", "POST", "/chat", { message: "Hi" });
    await ask("ada", "DELETE", "/conversations");
    await ask("ada", "DELETE", "/facts");
    expect((await ask("ada", "POST", "/chat", { message: "Hi" })).body.data.error.code).toBe(
      "BudgetExceeded",
    );
  });

  it("reports a call that the ledger couldn't record to onError", async () => {
    const onError = vi.fn();
    const store: Ledger = {
      ...createInMemoryLedger(),
      record: async () => createFailure(createMemoryStorageError("recordEntries", "the disk is full")),
    };
    const { ask } = await startTestServer(model(), { onError }, undefined, { ledger: { store } });
    expect((await ask("ada", "POST", "/chat", { message: "Hi" })).body.data.status).toBe("completed");
    expect(onError.mock.calls.map(([error]) => error)).toMatchObject([
      { code: "LedgerFailed", message: expect.stringContaining("the disk is full") },
    ]);
  });
});

describe("the client", () => {
  it("reads both reports", async () => {
    const { ask, url } = await startTestServer(model(), { mayReadLedger: () => true }, undefined, {
      ledger: { store: createInMemoryLedger() },
    });
    await ask("ada", "POST", "/chat", { message: "Hi" });
    const { ledger } = createJafClient({ baseUrl: url, headers: { "x-user": "ada" } });
    expect((await ledger.own({ by: ["agent", "tool"] })).rows).toMatchObject([
      { agent: "assistant", tool: null, calls: 1 },
    ]);
    expect((await ledger.all({ by: ["user"], userId: "bob" })).rows).toEqual([]);
    expect((await ledger.all()).rows).toHaveLength(1);
  });
});
