"use client";

import { useChat } from "@ai-sdk/react";
import { visibleParts } from "@jaf/server/client";
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";

const API = "/api/jaf/ai-sdk/chat";

const transport = new DefaultChatTransport({
  api: API,
  // The server has the history: the message that the request is about is all it needs.
  prepareSendMessagesRequest: ({ id, messages, trigger, messageId, body }) => ({
    body: {
      ...body,
      ...{ id, trigger, messageId },
      messages: messages.filter(
        (message, index) => index === messages.length - 1 || message.id === messageId,
      ),
    },
  }),
});

interface Props {
  readonly id: string;
  readonly stored: UIMessage[];
}

export function Chat({ id, stored }: Props) {
  const [text, setText] = useState("");
  const router = useRouter();
  const { messages, status, error, sendMessage, addToolApprovalResponse } = useChat({
    id,
    messages: stored,
    resume: true, // A turn that runs goes on in this page.
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onFinish: ({ isError, isDisconnect }) => {
      if (!isError && !isDisconnect) router.refresh(); // The list of chats has this one now.
    },
  });
  const isBusy = status === "submitted" || status === "streaming";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || text.trim() === "") return;
    void sendMessage({ text });
    setText("");
  };
  // Leaving the page stops nothing. This does, and what was said so far is kept.
  const stop = () =>
    fetch(`${API}/${id}/stop`, { method: "POST", headers: { "content-type": "application/json" } });
  const decide = (approvalId: string, approved: boolean) =>
    void addToolApprovalResponse({ id: approvalId, approved });
  return (
    <main data-status={status}>
      {messages.map((message) => (
        <section key={message.id} className={message.role}>
          {visibleParts(message).map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids, and keep their order
            <Part key={index} part={part} decide={decide} />
          ))}
        </section>
      ))}
      {error && <p role="alert">Something went wrong. Load the page again to see where the turn stands.</p>}
      <form onSubmit={submit}>
        <input
          aria-label="Message"
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder="Two kilograms of apples, please."
        />
        {isBusy ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit">Send</button>
        )}
      </form>
    </main>
  );
}

interface PartProps {
  readonly part: UIMessage["parts"][number];
  readonly decide: (approvalId: string, approved: boolean) => void;
}

function Part({ part, decide }: PartProps) {
  if (part.type === "text") return <p>{part.text}</p>;
  if (!isToolUIPart(part)) return null;
  return (
    <div className="tool">
      <code>
        {part.type.replace("tool-", "")} {JSON.stringify(part.input)}
      </code>
      {part.state === "approval-requested" && (
        <>
          <button type="button" onClick={() => decide(part.approval.id, true)}>
            Approve
          </button>
          <button type="button" onClick={() => decide(part.approval.id, false)}>
            Reject
          </button>
        </>
      )}
      {part.state === "output-available" && <span>{String(part.output)}</span>}
      {part.state === "output-denied" && <span>Rejected.</span>}
    </div>
  );
}
