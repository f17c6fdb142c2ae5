import type { ClientToolResult } from "@jaf/core";
import type { ApprovalDecision, ContentPart, Message } from "@jaf/memory";

export interface ChatRequest {
  /** Default: the server's default agent. */
  readonly agentName?: string;
  /** Absent: a new conversation. */
  readonly conversationId?: string;
  /** What the user says. */
  readonly message?: string | readonly ContentPart[];
  /** Several messages of the user. */
  readonly messages?: readonly { readonly role: "user"; readonly content: string | readonly ContentPart[] }[];
  /** The conversation as the client has it: the server refuses one that it didn't send. */
  readonly history?: readonly Message[];
  readonly historyToken?: string;
  readonly approvals?: readonly ApprovalDecision[];
  readonly toolResults?: readonly ClientToolResult[];
}

export interface EditRequest {
  /** Of the user's message that is replaced, with all after it. */
  readonly position: number;
  /** The conversation's version that the client saw. Another one is refused, as 409. */
  readonly version: number;
  readonly message: string | readonly ContentPart[];
  readonly agentName?: string;
}

export interface RegenerateRequest {
  /** Of the user's message that is answered anew. Default: the last. */
  readonly position?: number;
  readonly version: number;
  readonly agentName?: string;
}

export interface CopyRequest {
  /** The copy has the messages before this position. Default: all. */
  readonly upTo?: number;
  readonly version: number;
  readonly title?: string;
}
