import {
  createFailure,
  createInMemoryProvider,
  createMemoryStorageError,
  type MemoryProvider,
} from "@jaf/memory";
import { MemoryUserMemory } from "@jaf/user-memory";
import { describe, expect, it } from "vitest";
import { createOfflineModel } from "../../src/assistant/offline-model.ts";
import { chat } from "../../src/chat/chat.ts";
import { scriptedTerminal } from "../support/scripted-terminal.ts";

async function talk(provider: MemoryProvider, ...lines: string[]) {
  const { terminal, printed } = scriptedTerminal(...lines);
  const notes = { add: async () => {}, list: async () => [], remove: async () => undefined };
  const answered = await chat({
    store: { provider, userMemory: new MemoryUserMemory(), notes, close: async () => {} },
    userId: "ada",
    modelProvider: createOfflineModel({ wordDelayMs: 0 }),
    notices: ["offline"],
    terminal,
    signal: new AbortController().signal,
  });
  return { answered, printed: printed() };
}

describe("a chat whose store fails", () => {
  it("prints the error, continues with the next line, and returns `false`", async () => {
    const working = createInMemoryProvider();
    let full = true;
    const provider: MemoryProvider = {
      ...working,
      appendMessages: async (id, messages, ...rest) => {
        if (full && messages.length > 0)
          return createFailure(createMemoryStorageError("appendMessages", "no room."));
        return working.appendMessages(id, messages, ...rest);
      },
    };
    const failed = await talk(provider, "My name is Ada.", "/list");
    expect(failed.answered).toBe(false);
    expect(failed.printed).toContain('! Memory operation "appendMessages" failed: no room.');
    expect(failed.printed).toContain("0 messages  My name is Ada.");

    full = false;
    const { answered, printed } = await talk(provider, "My name is Ada.", "What is my name?");
    expect(answered).toBe(true);
    expect(printed).toContain("agent: Your name is Ada.");
  });
});
