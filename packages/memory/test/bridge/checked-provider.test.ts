import { createInMemoryProvider } from "@jaf/memory";
import { checkedProvider } from "@jaf/memory/internal";
import { expect, it } from "vitest";

const provider = createInMemoryProvider();

it("returns a provider with all methods", () => {
  const settings = { provider, conversationId: "c", userId: "__proto__" };
  expect(checkedProvider("open", settings, ["conversationId"])).toBe(provider);
  expect(checkedProvider("open", { provider })).toBe(provider);
});

it("names the function, each wrong field and what was expected, and quotes no id", () => {
  const { readConversation: _, ...plain } = provider;
  expect(() =>
    checkedProvider("open", { provider: plain, conversationId: "", userId: `secret${"x".repeat(255)}` }),
  ).toThrow(
    new TypeError(
      "Invalid settings of open: provider: expected a provider with readConversation, as all providers of JAF and defineMemoryProvider have it; conversationId: expected a non-empty string; userId: expected at most 255 characters, not 261.",
    ),
  );
});

it.each([undefined, null, 1, []])("refuses %j in place of the settings, a provider or an id", (wrong) => {
  expect(() => checkedProvider("open", wrong as never)).toThrow(/Invalid settings of open: /);
  expect(() => checkedProvider("open", { provider: wrong as never })).toThrow(
    /provider: expected a provider/,
  );
  expect(() => checkedProvider("open", { provider, userId: wrong as never })).toThrow(
    /userId: expected a string/,
  );
  expect(() => checkedProvider("open", { provider, conversationId: wrong as never })).toThrow(
    /conversationId: expected a string/,
  );
});

it("refuses a required id that is absent", () => {
  expect(() => checkedProvider("open", { provider }, ["conversationId"])).toThrow(/conversationId/);
  expect(() => checkedProvider("open", { provider }, ["userId"])).toThrow(/userId/);
});

it("says how to leave out the user, so that a visitor without a login doesn't get everybody's data", () => {
  expect(() => checkedProvider("open", { provider, userId: undefined as never })).toThrow(
    new TypeError(
      "Invalid settings of open: userId: expected a string, not undefined (leave out the field if owners needn't be checked).",
    ),
  );
});
