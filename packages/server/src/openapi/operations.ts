import type * as z from "zod";
import * as answers from "../api/answers.ts";
import * as requests from "../api/requests.ts";

/** A route as the document describes it. */
export interface Operation {
  readonly method: "get" | "post" | "patch" | "delete";
  /** With `{name}` for what varies. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The `data` of the answer; absent: the answer is no JSON of that form. */
  readonly answer?: z.ZodType;
  /** Another answer, if the request accepts `text/event-stream`. */
  readonly streams?: true;
}

const conversation = "/conversations/{conversationId}";
const aiSdkChat = "/ai-sdk/chat/{chatId}";

export const operations: readonly Operation[] = [
  { method: "get", path: "/health", summary: "Whether the server answers.", answer: answers.serverHealth },
  { method: "get", path: "/agents", summary: "The agents and their tools.", answer: answers.agentList },
  {
    ...{ method: "post", path: "/chat", summary: "Says something, or goes on with what waits." },
    ...{ body: requests.chatBody, answer: answers.turnAnswer, streams: true },
  },
  {
    ...{ method: "post", path: "/agents/{agentName}/chat", summary: "As /chat, with this agent." },
    ...{ body: requests.agentChatBody, answer: answers.turnAnswer, streams: true },
  },
  {
    ...{ method: "get", path: "/conversations", summary: "The user's conversations, the latest first." },
    ...{ query: requests.conversationsQuery, answer: answers.conversationPage },
  },
  {
    ...{ method: "delete", path: "/conversations", summary: "Deletes all conversations of the user." },
    answer: answers.deletedCount,
  },
  {
    ...{ method: "get", path: conversation, summary: "A conversation with its last messages." },
    ...{ query: requests.messagesQuery, answer: answers.conversationAnswer },
  },
  {
    ...{ method: "patch", path: conversation, summary: "Renames a conversation." },
    ...{ body: requests.renameBody, answer: answers.renamed },
  },
  {
    ...{ method: "delete", path: conversation, summary: "Deletes a conversation and the log of its turns." },
    answer: answers.deletedOne,
  },
  { method: "get", path: `${conversation}/export`, summary: "The whole conversation, as a file." },
  {
    ...{ method: "post", path: `${conversation}/copy`, summary: "Copies a conversation, or its beginning." },
    ...{ body: requests.copyBody, answer: answers.copied },
  },
  {
    ...{
      method: "post",
      path: `${conversation}/edit`,
      summary: "Replaces a message of the user and all after it.",
    },
    ...{ body: requests.editBody, answer: answers.turnAnswer, streams: true },
  },
  {
    ...{ method: "post", path: `${conversation}/regenerate`, summary: "Answers a message of the user anew." },
    ...{ body: requests.regenerateBody, answer: answers.turnAnswer, streams: true },
  },
  {
    ...{
      method: "post",
      path: `${conversation}/stop`,
      summary: "Asks a turn to stop. What was said is kept.",
    },
    ...{ body: requests.stopBody, answer: answers.stopping },
  },
  {
    ...{
      method: "get",
      path: `${conversation}/events`,
      summary: "The events of a turn, from any number on.",
    },
    ...{ query: requests.eventsQuery, answer: answers.turnEvents, streams: true },
  },
  {
    ...{ method: "get", path: `${conversation}/turns`, summary: "What the model saw in each turn." },
    ...{ query: requests.turnsQuery, answer: answers.turnList },
  },
  {
    ...{ method: "get", path: "/approvals/pending", summary: "The calls that wait for the user." },
    answer: answers.pendingApprovals,
  },
  { method: "get", path: "/approvals/stream", summary: "The same, whenever it changes, as a stream." },
  {
    ...{ method: "get", path: "/facts", summary: "What is known about the user." },
    ...{ query: requests.factsQuery, answer: answers.factList },
  },
  {
    ...{ method: "post", path: "/facts", summary: "Remembers something." },
    ...{ body: requests.factBody, answer: answers.factAnswer },
  },
  {
    method: "delete",
    path: "/facts",
    summary: "Forgets everything about the user.",
    answer: answers.factReceipt,
  },
  {
    ...{ method: "get", path: "/facts/{factId}", summary: "Where a fact comes from, and why it is found." },
    ...{ query: requests.factQuery, answer: answers.factExplained },
  },
  { method: "delete", path: "/facts/{factId}", summary: "Forgets a fact.", answer: answers.factReceipt },
  {
    ...{ method: "post", path: "/facts/{factId}/review", summary: "Decides about a fact that waits." },
    ...{ body: requests.reviewBody, answer: answers.reviewAnswer },
  },
  {
    ...{ method: "get", path: "/memory/health", summary: "How the stores are." },
    answer: answers.memoryHealth,
  },
  {
    ...{ method: "get", path: "/memory/stats", summary: "How much the user has stored." },
    answer: answers.memoryStats,
  },
  {
    ...{
      method: "post",
      path: "/ai-sdk/chat",
      summary: "What useChat of the AI SDK sends, as a UI message stream.",
    },
  },
  {
    ...{
      method: "get",
      path: `${aiSdkChat}/stream`,
      summary: "The running turn as a UI message stream, or 204.",
    },
  },
  {
    ...{ method: "post", path: `${aiSdkChat}/stop`, summary: "Asks the running turn to stop." },
    answer: answers.stopping,
  },
  { method: "get", path: `${aiSdkChat}/messages`, summary: "The chat as UI messages of the AI SDK." },
];
