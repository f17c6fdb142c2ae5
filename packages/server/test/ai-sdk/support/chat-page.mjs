// A page as in an application. Of JAF, it uses only the server's URL and `visibleParts`.
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { createElement as h, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { visibleParts } from "./ai-sdk.ts";

const query = new URLSearchParams(location.search);
const api = query.get("api");
const id = query.get("chat");

function Part({ part, decide }) {
  if (part.type === "text") return h("p", { className: "text" }, part.text);
  if (!part.type.startsWith("tool-")) return null;
  const approval = part.state === "approval-requested" ? part.approval.id : undefined;
  return h(
    "p",
    { className: "tool" },
    `${part.type} ${part.state} ${part.output ?? ""}`,
    approval &&
      h("button", { type: "button", className: "approve", onClick: () => decide(approval) }, "Approve"),
  );
}

// A page with another origin than the server must send a JSON content type, even without a body.
const headers = { "content-type": "application/json" };
const stop = () => fetch(`${api}/${id}/stop`, { method: "POST", headers });

function Chat({ messages: loaded }) {
  const { messages, status, sendMessage, resumeStream, regenerate, addToolApprovalResponse, error } = useChat(
    {
      ...{ id, messages: loaded, resume: true },
      transport: new DefaultChatTransport({ api }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    },
  );
  const [text, setText] = useState("");
  const decide = (approvalId) => addToolApprovalResponse({ id: approvalId, approved: true });
  return h(
    "main",
    { "data-status": error?.message ?? status },
    messages.map((message) =>
      h(
        "section",
        { key: message.id, className: message.role },
        visibleParts(message).map((part, index) => h(Part, { key: index, part, decide })),
      ),
    ),
    h("input", { value: text, onChange: (event) => setText(event.target.value) }),
    h("button", { type: "button", id: "send", onClick: () => sendMessage({ text }) }, "Send"),
    h("button", { type: "button", id: "resume", onClick: () => resumeStream() }, "Resume"),
    h("button", { type: "button", id: "stop", onClick: stop }, "Stop"),
    h("button", { type: "button", id: "regenerate", onClick: () => regenerate() }, "Again"),
  );
}

function Page() {
  const [messages, setMessages] = useState();
  useEffect(() => {
    fetch(`${api}/${id}/messages`)
      .then((response) => response.json())
      .then(({ data }) => setMessages(data.messages));
  }, []);
  return messages && h(Chat, { messages });
}

createRoot(document.getElementById("root")).render(h(Page));
