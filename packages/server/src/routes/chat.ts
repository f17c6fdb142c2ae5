import type { ClientToolResult, PromptInput } from "@jaf/core";
import type { ApprovalDecision, Message } from "@jaf/memory";
import { messageText, present } from "@jaf/memory/engine";
import * as api from "../api/chat.ts";
import { HttpFailure, notFound } from "../http/failure.ts";
import type { Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import type { TurnRequest } from "../turns/turn-service.ts";
import { answerTurn, ownEncoder } from "./turn-answer.ts";

export function chatRoutes(route: Route, parts: ServerParts): void {
  route(api.chat, ({ context, body }) => {
    const agentName = agentOf(parts, body.agentName);
    return answerTurn(parts, context, { agentName, ...turnOf(parts, body) }, ownEncoder(context, body));
  });

  const isThere = ({ agentName }: { readonly agentName: string }): void => {
    if (!parts.agents.has(agentName)) throw notFound();
  };
  route({ ...api.chatWithAgent, check: isThere }, ({ context, agentName, body }) =>
    answerTurn(parts, context, { agentName, ...turnOf(parts, body) }, ownEncoder(context, body)),
  );
}

/** The agent that a request names, or the default. */
export function agentOf({ agents, defaultAgent }: ServerParts, named: string | undefined): string {
  if (named !== undefined && !agents.has(named))
    throw new HttpFailure(
      "invalid-request",
      "Invalid body: agentName: there is no such agent; see GET /agents.",
    );
  return named ?? defaultAgent;
}

const TITLE_LENGTH = 80;

/** The title of a conversation that begins with these messages: what the application makes of their first text, or its first words. */
export function titleOf(
  { settings }: ServerParts,
  input: readonly Pick<Message, "content">[],
): string | undefined {
  const [first] = input;
  const text = first === undefined ? "" : messageText(first as Message);
  if (text.trim() === "") return undefined;
  const { titleOf: ofText = firstWords } = settings;
  return ofText(text) || undefined;
}

const firstWords = (text: string): string =>
  Array.from(text.replaceAll(/\s+/g, " ").trim()).slice(0, TITLE_LENGTH).join("");

type Said = Pick<TurnRequest, "target" | "input" | "approvals" | "toolResults" | "messages" | "historyToken">;

function turnOf(parts: ServerParts, body: api.ChatBody): Said {
  const { conversationId, message, messages = [], history, historyToken, approvals, toolResults } = body;
  if (message !== undefined && messages.length > 0)
    throw new HttpFailure("invalid-request", "Invalid body: give message or messages, not both.");
  const said = message === undefined ? messages : [{ role: "user" as const, content: message }];
  const continues = approvals ?? toolResults ?? history ?? historyToken;
  if (said.length === 0 && continues === undefined && conversationId === undefined)
    throw new HttpFailure("invalid-request", "Invalid body: message: expected what the user says.");
  const title = titleOf(parts, said as readonly Message[]);
  return {
    target: conversationId === undefined ? { newId: undefined, ...present({ title }) } : { conversationId },
    // The engine checks the parts.
    input: said as PromptInput,
    ...(history === undefined ? {} : { messages: history as unknown as readonly Message[] }),
    ...present({ historyToken }),
    ...(approvals === undefined ? {} : { approvals: approvals as readonly ApprovalDecision[] }),
    ...(toolResults === undefined ? {} : { toolResults: toolResults as readonly ClientToolResult[] }),
  };
}
