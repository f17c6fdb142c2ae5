import { createInMemoryProvider } from "@jaf/memory";
import { MemoryUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import { createOfflineModel } from "../../src/assistant/offline-model.ts";
import { chat } from "../../src/chat/chat.ts";
import { scriptedTerminal } from "./scripted-terminal.ts";

/** The terminal's chat of "ada" with the offline assistant: says lines, and returns what is printed once they are learned. */
export function talkingOffline(
  userMemory: UserMemoryStore = new MemoryUserMemory(),
): (...lines: string[]) => Promise<string> {
  const provider = createInMemoryProvider();
  const notes = { add: async () => {}, list: async () => [], remove: async () => undefined };
  return async (...lines) => {
    const { terminal, printed } = scriptedTerminal(...lines);
    await chat({
      store: { provider, userMemory, notes, close: async () => {} },
      userId: "ada",
      modelProvider: createOfflineModel({ wordDelayMs: 0 }),
      notices: ["offline"],
      terminal,
      signal: new AbortController().signal,
    });
    await userMemory.drain();
    return printed();
  };
}
