import type { Message } from "@jaf/memory";
import { afterAll, describe, expect, it } from "vitest";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const schema = freshSchema();

afterAll(() => dropSchemas([schema]));

const view = async (id: string) =>
  (await runSql(`SELECT * FROM "${schema}".conversations_with_messages WHERE conversation_id = '${id}'`))
    .rows;

const store = (id: string, messages: readonly Message[], ttlSeconds?: number) =>
  useClient(async (client) => {
    const provider = await createProvider({ schema }, client);
    const options = ttlSeconds === undefined ? {} : { ttlSeconds };
    const result = await provider.appendMessages(
      id,
      messages,
      { userId: "u", traceId: "t", plan: "pro" },
      options,
    );
    expect(result.success).toBe(true);
  });

describe("the view", () => {
  it("shows a conversation in the documented form", async () => {
    await store("c", [
      { role: "user", content: "hello" },
      { role: "assistant", content: "hi" },
    ]);
    expect(await view("c")).toEqual([
      {
        conversation_id: "c",
        user_id: "u",
        messages: [
          { role: "user", content: "hello" },
          { role: "assistant", content: "hi" },
        ],
        metadata: { traceId: "t", plan: "pro" },
        created_at: expect.any(Date),
        updated_at: expect.any(Date),
        last_activity: expect.any(Date),
      },
    ]);
  });

  it("shows an empty conversation with an empty list", async () => {
    await store("empty", []);
    expect(await view("empty")).toMatchObject([{ messages: [] }]);
  });

  it.each([
    ["NUL", "a\0\0b", "a\ufffd\ufffdb"],
    ["an unpaired surrogate", "a\ud800b\udfff", "a\ufffdb\ufffd"],
    ["a pair of surrogates", "a😀b", "a😀b"],
    ["the text of an escape", "a\\u0000b", "a\\u0000b"],
    ["the text of an escape after a backslash", "a\\\\u0000b", "a\\\\u0000b"],
    ["NUL after backslashes", "a\\\0\\\\\0b", "a\\\ufffd\\\\\ufffdb"],
    ["a control character", "a\u0001b", "a\u0001b"],
  ])("shows %s as far as jsonb can", async (name, content, shown) => {
    await store(name, [{ role: "user", content }]);
    expect(await view(name)).toMatchObject([{ messages: [{ role: "user", content: shown }] }]);
  });

  it("does not show an expired conversation", async () => {
    await store("expiring", [{ role: "user", content: "soon gone" }], 1);
    expect(await view("expiring")).toHaveLength(1);
    await expect.poll(() => view("expiring"), { timeout: 3_000 }).toEqual([]);
  });
});
