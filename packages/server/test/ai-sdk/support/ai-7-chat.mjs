// Runs under Node 22 beside AI SDK 7: a chat without a user interface, against the server that it is told. Prints what it holds.
import { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";

const [api] = process.argv.slice(2);

class HeadlessChat extends AbstractChat {
  constructor({ messages = [], ...init }) {
    const state = {
      ...{ status: "ready", error: undefined, messages },
      pushMessage: (message) => {
        state.messages = [...state.messages, message];
      },
      popMessage: () => {
        state.messages = state.messages.slice(0, -1);
      },
      replaceMessage: (index, message) => {
        state.messages = state.messages.map((each, at) => (at === index ? structuredClone(message) : each));
      },
      snapshot: (value) => structuredClone(value),
    };
    super({ ...init, state });
  }
}

async function until(isTrue) {
  for (let tries = 0; tries < 1_000; tries++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("Nothing came of it.");
}

const stored = async (id) => (await (await fetch(`${api}/${id}/messages`)).json()).data.messages;
const errors = [];
const chatOf = (id, more = {}) =>
  new HeadlessChat({
    ...{ id, transport: new DefaultChatTransport({ api }), onError: (error) => errors.push(String(error)) },
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    ...more,
  });

const chat = chatOf("c");
await chat.sendMessage({ text: "Pay." });
const asked = chat.lastMessage.parts.find(({ approval }) => approval !== undefined);
await chat.addToolApprovalResponse({ id: asked.approval.id, approved: true });
await until(() => chat.status === "ready" && chat.lastMessage.parts.at(-1).type === "text");
await chat.regenerate();

// One that leaves in the middle, and comes back.
const leaving = chatOf("d");
const sending = leaving.sendMessage({ text: "Slowly." });
await until(() => leaving.lastMessage?.parts.at(-1)?.text?.includes("one"));
await leaving.stop();
await sending;
await leaving.resumeStream();

console.log(
  JSON.stringify({
    errors,
    held: [chat.messages, leaving.messages],
    stored: [await stored("c"), await stored("d")],
  }),
);
