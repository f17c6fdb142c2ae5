import type { SentMessage } from "@jaf/core";
import * as z from "zod";
import { checkFiles, namedFiles } from "../http/client-content.ts";
import { HttpFailure, refusalFailure } from "../http/failure.ts";
import { operation, type Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import { agentOf, contentSchema } from "./chat.ts";
import { ownConversation } from "./own-conversation.ts";
import { id } from "./schemas.ts";

const sendMessage = operation("post", "/conversations/{conversationId}/inbox", {
  summary: "Send a message that the running turn takes, or that begins the next one",
  body: z.strictObject({
    message: contentSchema,
    key: id
      .optional()
      .describe("Names the message: the same key within 24 hours sends it once. Default: a random key."),
    agentName: id.optional().describe("The agent that begins a turn with the message, if none is running."),
  }),
  answer: z.object({
    sent: z.literal(true),
    turnId: z
      .string()
      .optional()
      .describe("The turn that the message began. Absent: the running turn takes it, or a later one."),
  }),
  failures: ["not-configured", "not-found"],
});

/** Adds the route that sends a message to a conversation's inbox. */
export function inboxRoutes(route: Route, parts: ServerParts): void {
  const { service, settings } = parts;

  route(sendMessage, async ({ context, userId, conversationId, body }) => {
    if (service.send === undefined)
      throw new HttpFailure(
        "not-configured",
        "The server has no inbox. Set memory.inbox of its run configuration.",
      );
    const identity = context.get("identity");
    const agentName = agentOf(parts, body.agentName);
    await ownConversation(parts, { conversationId, userId });
    await checkFiles(settings, identity, namedFiles(body.message, ["message"]));
    const { key = crypto.randomUUID() } = body;
    const message = body.message as SentMessage;
    const result = await service.send({ identity, conversationId, agentName, message, key });
    if (!result.sent) throw refusalFailure(result.refusal);
    return result;
  });
}
