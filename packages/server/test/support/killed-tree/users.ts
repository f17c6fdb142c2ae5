import { DefaultChatTransport, isToolUIPart } from "ai";
import { createJafClient, type PendingApprovalEntry } from "../../../src/client/index.ts";
import { HeadlessChat } from "../../ai-sdk/support/headless-chat.ts";

/** What a user does at a page. */
export interface User {
  readonly say: (url: string) => Promise<unknown>;
  /** Approves a call that waits. */
  readonly approve: (url: string, waiting: PendingApprovalEntry) => Promise<unknown>;
}

export const clientOf = (url: string) => createJafClient({ baseUrl: url, headers: { "x-user": "ada" } });

/** A user of the server's own client. */
export const ownClientUser: User = {
  say: async (url) => {
    // The answer to an earlier attempt may have been lost, with the conversation begun.
    const [begun] = (await clientOf(url).conversations.list()).conversations;
    return clientOf(url).ask({ message: "work", ...(begun && { conversationId: begun.conversationId }) });
  },
  approve: (url, { conversationId, interruption }) => {
    if (interruption.type !== "approval") throw new Error("no approval");
    const { toolCallId, approvalId } = interruption;
    return clientOf(url).ask({ conversationId, approvals: [{ toolCallId, approvalId, approved: true }] });
  },
};

const chatAt = (url: string, messages: HeadlessChat["messages"] = []) =>
  new HeadlessChat({
    id: "chat",
    messages,
    transport: new DefaultChatTransport({ api: `${url}/ai-sdk/chat`, headers: { "x-user": "ada" } }),
  });

/** A user of `useChat`, who loads the page before each answer. */
export const useChatUser: User = {
  say: (url) => chatAt(url).sendMessage({ id: "m1", role: "user", parts: [{ type: "text", text: "work" }] }),
  approve: async (url, { interruption }) => {
    const { messages } = await clientOf(url).conversations.loadChat("chat");
    const chat = chatAt(url, messages);
    const parts = (chat.lastMessage?.parts ?? []).filter(isToolUIPart);
    const asked = parts.find(({ toolCallId }) => toolCallId === interruption.toolCallId);
    if (asked?.approval === undefined) throw new Error(`no part asks for ${interruption.toolCallId}`);
    await chat.addToolApprovalResponse({ id: asked.approval.id, approved: true });
    await chat.sendMessage();
  },
};
