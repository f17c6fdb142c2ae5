import { describe } from "vitest";
import { openInMemory } from "../support/worlds.ts";
import { itServesChatsWithAgents } from "./support/chats-with-agents.ts";

describe("useChat of ai@6 with agents as tools", () => itServesChatsWithAgents(openInMemory));
