import { toEntryContent } from "@jaf/core/internal";
import type { NewInboxEntry, RichMessage } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import type { MessageRequest } from "../turns/turn-service.ts";

/** Returns the inbox entry of a message, with which any process can begin a turn. */
export function entryOf(request: MessageRequest): NewInboxEntry {
  const { identity, conversationId, agentName, message, key, from } = request;
  const said = { content: message as RichMessage["content"], ...present({ from }) };
  const content = toEntryContent(said, { identity, agentName });
  return { conversationId, userId: identity.userId, key, content };
}
