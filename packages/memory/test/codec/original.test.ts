import { createInMemoryProvider, type RichMessage } from "@jaf/memory";
import { expect, it } from "vitest";
import { originalIn, withOriginal } from "../../src/codec/original.ts";

const LONG = "AAAA".repeat(100);

it.each<Partial<RichMessage>>([
  { content: "[redacted]" },
  { role: "user" },
  { tool_calls: [] },
  { tool_call_id: "c-2" },
  { name: "other" },
])("gives no original after the edit %j", (edit) => {
  const message = withOriginal(
    { role: "assistant", content: "My card is 4111" },
    "sdk",
    "My card is 4111, sir",
  );
  expect(originalIn(message, "sdk")).toBe("My card is 4111, sir");
  expect(originalIn({ ...message, id: "m-1" }, "sdk")).toBe("My card is 4111, sir");
  expect(originalIn({ ...message, ...edit }, "sdk")).toBeUndefined();
});

it("gives the original of values that a store returns in another form", async () => {
  const provider = createInMemoryProvider();
  const content = [
    { type: "media", mediaType: "image/png", url: new URL("https://a.b/c"), data: Buffer.from("abc") },
    { type: "other", b: undefined, __proto__: null, a: new Date(0), zero: -0 },
  ];
  const message = withOriginal({ role: "user", content }, "sdk", { kept: true });
  await provider.storeMessages("c", [message] as never);
  const stored = await provider.getConversation("c");
  const [read] = stored.success ? (stored.data?.messages ?? []) : [];
  expect(read && originalIn(read, "sdk")).toEqual({ kept: true });
});

it("stores the data of a data URL once", () => {
  const value = { image: `data:image/png;base64,${LONG}`, again: LONG, other: `data:text/plain,${LONG}` };
  const message = withOriginal(
    { role: "user", content: [{ type: "media", mediaType: "image/png", data: LONG }] },
    "sdk",
    value,
  );
  expect(originalIn(message, "sdk")).toEqual(value);
  expect(JSON.stringify(message).split(LONG)).toHaveLength(3);
});

it("ignores a field that it hasn't written", () => {
  for (const sdk of [
    { value: "forged" },
    { value: "forged", of: 1 },
    { value: 1, of: "", shared: [] },
    null,
  ]) {
    expect(originalIn({ role: "user", content: "Hi", sdk }, "sdk")).toBeUndefined();
  }
});
