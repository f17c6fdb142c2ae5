import type { PromptInput } from "@jaf/core";
import type { Message } from "@jaf/memory";
import { present } from "@jaf/memory/engine";
import { editMessage, regenerate } from "../api/chat.ts";
import { HttpFailure } from "../http/failure.ts";
import type { Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import { agentOf } from "./chat.ts";
import { checkVersion, ownConversation } from "./own-conversation.ts";
import { answerTurn, ownEncoder } from "./turn-answer.ts";

/** Changes of what was said, by the owner. */
export function editRoutes(route: Route, parts: ServerParts): void {
  route(editMessage, ({ context, conversationId, body }) => {
    const { position, version, message } = body;
    const agentName = agentOf(parts, body.agentName);
    const input = [{ role: "user", content: message }] as PromptInput;
    const request = { target: { conversationId }, agentName, input, edit: { position, version } };
    return answerTurn(parts, context, request, ownEncoder(context, body));
  });

  route(regenerate, async ({ context, userId, conversationId, body }) => {
    const { version } = body;
    const agentName = agentOf(parts, body.agentName);
    const said = await saidAt(parts, { conversationId, userId, version }, body.position);
    const { position, message } = said;
    const request = {
      ...{ target: { conversationId }, agentName, input: [message] },
      edit: { position, version },
    };
    return answerTurn(parts, context, request, ownEncoder(context, body));
  });
}

interface Seen {
  readonly conversationId: string;
  readonly userId: string;
  readonly version: number;
}

const PAGE = 50;

/** The user's message at a position, or the last one. */
async function saidAt(
  parts: ServerParts,
  seen: Seen,
  position: number | undefined,
): Promise<{ readonly position: number; readonly message: Message }> {
  let before = position === undefined ? undefined : position + 1;
  for (;;) {
    const limit = position === undefined ? PAGE : 1;
    const own = await ownConversation(parts, seen, { limit, ...present({ before }) });
    checkVersion(own, seen.version);
    const { conversation, firstPosition } = own;
    const index = conversation.messages.findLastIndex(({ role }) => role === "user");
    const message = conversation.messages[index];
    const isRight = position === undefined || firstPosition + index === position;
    if (message !== undefined && isRight) return { position: firstPosition + index, message };
    if (position !== undefined || conversation.messages.length < PAGE)
      throw new HttpFailure("invalid-request", "Invalid body: position: there is no message of the user.");
    before = firstPosition;
  }
}
