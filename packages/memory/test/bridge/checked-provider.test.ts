import { createInMemoryProvider } from "@jaf/memory";
import { checkedProvider } from "@jaf/memory/internal";
import { expect, it } from "vitest";

const provider = createInMemoryProvider();

it("returns a provider with all methods", () => {
  expect(checkedProvider("open", provider, { conversationId: "c", userId: "__proto__" })).toBe(provider);
  expect(checkedProvider("open", provider)).toBe(provider);
});

it("names the function, each wrong field and what was expected, and quotes no id", () => {
  const { readConversation: _, ...plain } = provider;
  expect(() =>
    checkedProvider("open", plain, { conversationId: "", userId: `secret${"x".repeat(255)}` }),
  ).toThrow(
    new TypeError(
      "Invalid settings of open: provider: expected a provider with readConversation, as all providers of JAF and defineMemoryProvider have it; conversationId: expected a non-empty string; userId: expected at most 255 characters, not 261.",
    ),
  );
});

it.each([undefined, null, "redis://localhost", []])("refuses %j in place of a provider or an id", (wrong) => {
  expect(() => checkedProvider("open", wrong as never)).toThrow(/provider: expected a provider/);
  if (typeof wrong !== "string") {
    expect(() => checkedProvider("open", provider, { userId: wrong as never })).toThrow(
      /userId: expected a string/,
    );
  }
});
