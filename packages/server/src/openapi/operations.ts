import type * as z from "zod";
import * as answers from "../api/answers.ts";
import * as requests from "../api/requests.ts";
import type { FailureCode } from "../http/failure.ts";

/** A route as the document describes it. */
export interface Operation {
  readonly method: "get" | "post" | "patch" | "delete";
  /** With `{name}` for what varies. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The request may come without its body. */
  readonly isBodyOptional?: true;
  /** The `data` of the answer; absent: the answer is no JSON of that form. */
  readonly answer?: z.ZodType;
  /** The answer itself, as JSON. */
  readonly file?: z.ZodType;
  /** `"asked"`: another answer, if the request accepts `text/event-stream`. */
  readonly streams?: "asked" | "always";
  /** When it answers with 204. */
  readonly nothing?: string;
  /** Beside those that any route has which takes the same: a body, a query, an id in its path. */
  readonly failures?: readonly FailureCode[];
}

/** Of what starts a turn. */
const turnFailures = ["not-found", "running", "changed"] as const satisfies readonly FailureCode[];
const factFailures = ["not-configured"] as const satisfies readonly FailureCode[];

const conversation = "/conversations/{conversationId}";
const aiSdkChat = "/ai-sdk/chat/{chatId}";

export const operations: readonly Operation[] = [
  { method: "get", path: "/health", summary: "Whether the server answers.", answer: answers.serverHealth },
  { method: "get", path: "/openapi.json", summary: "This document.", file: answers.anything },
  { method: "get", path: "/agents", summary: "The agents and their tools.", answer: answers.agentList },
  {
    ...{ method: "post", path: "/chat", summary: "Says something, or goes on with what waits." },
    ...{ body: requests.chatBody, answer: answers.turnAnswer, streams: "asked", failures: turnFailures },
  },
  {
    ...{ method: "post", path: "/agents/{agentName}/chat", summary: "As /chat, with this agent." },
    ...{ body: requests.agentChatBody, answer: answers.turnAnswer, streams: "asked", failures: turnFailures },
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
    ...{ body: requests.renameBody, answer: answers.renamed, failures: ["changed"] },
  },
  {
    ...{ method: "delete", path: conversation, summary: "Deletes a conversation and the log of its turns." },
    answer: answers.deletedOne,
  },
  {
    method: "get",
    path: `${conversation}/export`,
    summary: "The whole conversation, as a file.",
    file: answers.anything,
  },
  {
    ...{ method: "post", path: `${conversation}/copy`, summary: "Copies a conversation, or its beginning." },
    ...{ body: requests.copyBody, answer: answers.copied, failures: ["changed"] },
  },
  {
    ...{
      method: "post",
      path: `${conversation}/edit`,
      summary: "Replaces a message of the user and all after it.",
    },
    ...{ body: requests.editBody, answer: answers.turnAnswer, streams: "asked", failures: turnFailures },
  },
  {
    ...{ method: "post", path: `${conversation}/regenerate`, summary: "Answers a message of the user anew." },
    ...{
      body: requests.regenerateBody,
      answer: answers.turnAnswer,
      streams: "asked",
      failures: turnFailures,
    },
  },
  {
    ...{
      method: "post",
      path: `${conversation}/stop`,
      summary: "Asks a turn to stop. What was said is kept.",
    },
    ...{ body: requests.stopBody, isBodyOptional: true, answer: answers.stopping },
  },
  {
    ...{
      method: "get",
      path: `${conversation}/events`,
      summary: "The events of a turn, from any number on.",
    },
    ...{ query: requests.eventsQuery, answer: answers.turnEvents, streams: "asked" },
    nothing: "The turn has ended, and there are no events from that number on.",
  },
  {
    ...{ method: "get", path: `${conversation}/turns`, summary: "What the model saw in each turn." },
    ...{ query: requests.turnsQuery, answer: answers.turnList },
  },
  {
    ...{ method: "get", path: "/approvals/pending", summary: "The calls that wait for the user." },
    answer: answers.pendingApprovals,
  },
  {
    method: "get",
    path: "/approvals/stream",
    summary: "The same, whenever it changes, as a stream.",
    streams: "always",
  },
  {
    ...{ method: "get", path: "/facts", summary: "What is known about the user." },
    ...{ query: requests.factsQuery, answer: answers.factList, failures: factFailures },
  },
  {
    ...{ method: "post", path: "/facts", summary: "Remembers something." },
    ...{ body: requests.factBody, answer: answers.factAnswer, failures: factFailures },
  },
  {
    method: "delete",
    path: "/facts",
    summary: "Forgets everything about the user.",
    answer: answers.factReceipt,
    failures: factFailures,
  },
  {
    ...{ method: "get", path: "/facts/{factId}", summary: "Where a fact comes from, and why it is found." },
    ...{ query: requests.factQuery, answer: answers.factExplained, failures: factFailures },
  },
  {
    method: "delete",
    path: "/facts/{factId}",
    summary: "Forgets a fact.",
    answer: answers.factReceipt,
    failures: factFailures,
  },
  {
    ...{ method: "post", path: "/facts/{factId}/review", summary: "Decides about a fact that waits." },
    ...{ body: requests.reviewBody, answer: answers.reviewAnswer, failures: factFailures },
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
    ...{ method: "post", path: "/ai-sdk/chat", body: requests.aiSdkChatBody },
    summary: "What useChat of the AI SDK sends, as a UI message stream.",
    ...{ streams: "always", failures: turnFailures },
  },
  {
    ...{ method: "get", path: `${aiSdkChat}/stream`, streams: "always" },
    summary: "The running turn as a UI message stream.",
    nothing: "The chat has no running turn.",
  },
  {
    ...{ method: "post", path: `${aiSdkChat}/stop`, summary: "Asks the running turn to stop." },
    answer: answers.stopping,
  },
  {
    ...{ method: "get", path: `${aiSdkChat}/messages`, answer: answers.uiMessages },
    summary: "The chat as UI messages of the AI SDK.",
  },
];
