import { describe } from "vitest";
import { itListsChats } from "../ai-sdk/support/chat-lists.ts";
import { openInMemory } from "../support/worlds.ts";

describe("a list of chats", () => itListsChats(openInMemory));
