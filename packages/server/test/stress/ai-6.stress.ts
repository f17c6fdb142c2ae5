import { describe } from "vitest";
import { itServesHeadlessChats } from "../ai-sdk/support/headless-chats.ts";
import { realWorlds } from "../support/real-worlds.ts";

describe.each(realWorlds)("useChat of ai@6 on %s", (_store, openWorld) => itServesHeadlessChats(openWorld));
