import type { MemoryConfig } from "@jaf/core";
import { createInMemoryProvider, type Message } from "@jaf/memory";
import { runServer } from "@jaf/server";
import { expect, it, vi } from "vitest";
import { assistant, saying } from "./support/test-server.ts";

/** Two turns of a conversation with more than 500 messages. */
async function serveLongConversation(name: string, memory: Pick<MemoryConfig, "window"> = {}) {
  const provider = createInMemoryProvider();
  const message = (index: number): Message => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: "Hi.",
  });
  const history = Array.from({ length: 600 }, (_, index) => message(index));
  await provider.storeMessages("c", history, { userId: "local" });
  const config = { modelProvider: saying("Hello."), memory };
  const options = { port: 0, defaultMemoryProvider: provider };
  const server = await runServer([{ ...assistant, name }], config, options);
  try {
    for (const text of ["One", "Two"]) {
      const response = await fetch(`${server.url}/chat`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ message: text, conversationId: "c" }),
      });
      expect(await response.json()).toMatchObject({ data: { status: "completed", text: "Hello." } });
    }
  } finally {
    await server.close();
  }
}

it("warns once of a conversation with more than 500 messages, and not if the server sets a window", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const windowWarnings = () =>
    warned.mock.calls.map(([text]) => String(text)).filter((text) => /window/.test(text));
  await serveLongConversation("limited", { window: { maxMessages: 50 } });
  expect(windowWarnings()).toEqual([]);
  await serveLongConversation("unlimited server");
  expect(windowWarnings()).toEqual([
    expect.stringContaining('The agent "unlimited server" sent 601 messages'),
  ]);
});
