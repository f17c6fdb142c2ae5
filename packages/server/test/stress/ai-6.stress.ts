import { describe } from "vitest";
import { itListsChats } from "../ai-sdk/support/chat-lists.ts";
import { itServesHeadlessChats } from "../ai-sdk/support/headless-chats.ts";
import { itSaysRepeatedSubmitsOnce } from "../ai-sdk/support/repeated-submits.ts";
import { realWorlds } from "../support/real-worlds.ts";

describe.each(realWorlds)("useChat of ai@6 on %s", (_store, openWorld) => itServesHeadlessChats(openWorld));

describe.each(realWorlds)("a repeated submit on %s", (_store, openWorld) =>
  itSaysRepeatedSubmitsOnce(openWorld),
);

describe.each(realWorlds)("a list of chats on %s", (_store, openWorld) => itListsChats(openWorld));
